import { expect, test } from 'vitest';
import { createTestRig, faultContract } from '../testing/index.js';
import { tlsFailure } from './tls-failure.js';

faultContract(tlsFailure, { example: { reason: 'name', forMs: 1000 } });

test.each([
  ['expired', 'CERT_HAS_EXPIRED'],
  ['self-signed', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ['name', 'ERR_TLS_CERT_ALTNAME_INVALID'],
])('fails connections the way that a certificate does that is %s', (reason, code) => {
  const rig = createTestRig(tlsFailure, { params: { reason, forMs: 1000 } });
  rig.connect();
  expect(rig.ends.log).toMatchObject([{ what: 'disconnect', how: code, forMs: 1000 }]);
});
