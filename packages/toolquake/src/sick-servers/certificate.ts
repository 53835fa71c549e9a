/** Certificates for sick servers: X.509 by hand, because Node can read certificates and not write them. */
import { createPrivateKey, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';

/** A certificate and its key, as PEM; `key` signs others. */
export type Certificate = { readonly cert: string; readonly key: string };

/** What a certificate says. */
export type CertificateFacts = {
  readonly name: string;
  readonly hosts: readonly string[];
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** Who signs it; itself where undefined. */
  readonly issuer?: (Certificate & { readonly name: string }) | undefined;
  readonly isAuthority?: boolean | undefined;
};

const tlv = (tag: number, ...parts: readonly Uint8Array[]): Buffer => {
  const body = Buffer.concat(parts);
  const short = body.length < 0x80;
  const size = short
    ? Buffer.of(body.length)
    : body.length < 0x100
      ? Buffer.of(0x81, body.length)
      : Buffer.of(0x82, body.length >> 8, body.length & 0xff);
  return Buffer.concat([Buffer.of(tag), size, body]);
};
const sequence = (...parts: readonly Uint8Array[]): Buffer => tlv(0x30, ...parts);
const oid = (hex: string): Buffer => tlv(0x06, Buffer.from(hex, 'hex'));
const octets = (part: Uint8Array): Buffer => tlv(0x04, part);
const YES = tlv(0x01, Buffer.of(0xff));
const ECDSA_SHA256 = sequence(oid('2a8648ce3d040302'));

const nameOf = (name: string): Buffer => sequence(tlv(0x31, sequence(oid('550403'), tlv(0x0c, Buffer.from(name)))));
const timeOf = (date: Date): Buffer => tlv(0x18, Buffer.from(`${date.toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`));
const hostOf = (host: string): Buffer => {
  const numbers = host.split('.').map(Number);
  const isAddress = numbers.length === 4 && numbers.every((one) => Number.isInteger(one));
  return isAddress ? tlv(0x87, Buffer.from(numbers)) : tlv(0x82, Buffer.from(host));
};

/** Makes a key and a certificate for it. */
export function makeCertificate({ name, hosts, notBefore, notAfter, issuer, isAuthority = false }: CertificateFacts): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const signer: KeyObject = issuer === undefined ? privateKey : createPrivateKey(issuer.key);
  const extensions = [
    sequence(oid('551d13'), YES, octets(isAuthority ? sequence(YES) : sequence())),
    ...(hosts.length === 0 ? [] : [sequence(oid('551d11'), octets(sequence(...hosts.map(hostOf))))]),
  ];
  const signed = sequence(
    tlv(0xa0, tlv(0x02, Buffer.of(2))),
    // The first bit is the sign, and a serial number is positive.
    tlv(0x02, Buffer.concat([Buffer.of(0x40), randomBytes(8)])),
    ECDSA_SHA256,
    nameOf(issuer?.name ?? name),
    sequence(timeOf(notBefore), timeOf(notAfter)),
    nameOf(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    tlv(0xa3, sequence(...extensions)),
  );
  const signature = sign('sha256', signed, signer);
  const whole = sequence(signed, ECDSA_SHA256, tlv(0x03, Buffer.of(0), signature));
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}
