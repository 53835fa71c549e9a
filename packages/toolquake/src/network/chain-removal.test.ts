import { expect, test } from 'vitest';
import { chainLeftovers, chainRemoval, readChainCommands, readChainTables } from './chain-removal.js';

const NAME = 'TQ-5f1c09aa-03be';
const listing = `-P INPUT ACCEPT
-P OUTPUT ACCEPT
-N TQ-5f1c09aa-03bf
-N ${NAME}
-A OUTPUT -j ${NAME}
-A OUTPUT -d 10.0.0.7/32 -p tcp -m tcp --dport 5432 -j REJECT --reject-with tcp-reset
-A OUTPUT -j TQ-5f1c09aa-03bf
-A ${NAME} -d 10.0.0.7/32 -p tcp -m tcp --dport 5432 -j REJECT --reject-with tcp-reset`;

test('takes the jump, the rules and the chain, and nothing that says the same elsewhere', () => {
  expect(chainRemoval(listing, NAME)).toEqual([
    ['-D', 'OUTPUT', '-j', NAME],
    ['-F', NAME],
    ['-X', NAME],
  ]);
  expect(chainLeftovers(listing, NAME)).toHaveLength(3);
});

test('has nothing to do where the chain is gone', () => {
  expect(chainRemoval('-P OUTPUT ACCEPT', NAME)).toEqual([]);
  expect(chainLeftovers('-P OUTPUT ACCEPT', NAME)).toEqual([]);
});

test('takes a chain that was made and never jumped into', () => {
  expect(chainRemoval(`-N ${NAME}`, NAME)).toEqual([
    ['-F', NAME],
    ['-X', NAME],
  ]);
});

test.each([[undefined], [[]], [['bash']], [['iptables', '-j']], ['iptables'], [['--modprobe=/tmp/x']]])(
  'refuses %j as commands and tables',
  (value) => {
    expect(() => readChainCommands(value)).toThrow('none that we write');
    expect(() => readChainTables(value)).toThrow('none that we write');
  },
);
