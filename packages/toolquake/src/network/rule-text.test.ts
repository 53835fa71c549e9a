import { expect, test } from 'vitest';
import { chainBlock, chainRedirect, nftBlock, nftRedirect } from './rule-text.js';

const NAME = 'TQ-5f1c09aa-03be';
const facts = { aims: [{ address: '10.0.0.7' }, { address: 'fd00::7' }], port: 5432, uid: undefined, spare: undefined };

test('blocks every address of both families in one table of its own', () => {
  expect(nftBlock(NAME, facts, 'reset')).toBe(`create table inet ${NAME}
add chain inet ${NAME} block { type filter hook output priority -5; policy accept; }
add rule inet ${NAME} block ip daddr 10.0.0.7 tcp dport 5432 counter reject with tcp reset
add rule inet ${NAME} block ip6 daddr fd00::7 tcp dport 5432 counter reject with tcp reset
`);
});

test('names the user, and spares the ports of the relay', () => {
  const text = nftBlock(NAME, { ...facts, uid: 1001, spare: { from: 61_000, to: 64_999 } }, 'drop');
  expect(text).toContain('ip daddr 10.0.0.7 tcp dport 5432 tcp sport != 61000-64999 meta skuid 1001 counter drop\n');
});

test('leads only beginnings of connections to the relay, and resets open ones only when asked to', () => {
  const slow = { ...facts, aims: [{ address: '10.0.0.7', relayPort: 40_001 }] };
  const kept = nftRedirect(NAME, slow, false);
  expect(kept).toContain('tcp flags & (syn | ack) == syn counter redirect to :40001\n');
  expect(kept).not.toContain('reject');
  expect(nftRedirect(NAME, slow, true)).toContain('reject with tcp reset');
});

test('fills a chain of iptables before anything is led into it, a family at a time', () => {
  const calls = chainBlock(NAME, { ...facts, uid: 1001 }, 'unreachable').map(({ isIpv6, args }) => `${isIpv6 ? 6 : 4} ${args.join(' ')}`);
  expect(calls).toEqual([
    `4 -w 3 -t filter -N ${NAME}`,
    `4 -w 3 -t filter -A ${NAME} -d 10.0.0.7 -p tcp --dport 5432 -m owner --uid-owner 1001 -j REJECT --reject-with icmp-port-unreachable`,
    `4 -w 3 -t filter -I OUTPUT 1 -j ${NAME}`,
    `6 -w 3 -t filter -N ${NAME}`,
    `6 -w 3 -t filter -A ${NAME} -d fd00::7 -p tcp --dport 5432 -m owner --uid-owner 1001 -j REJECT --reject-with icmp6-port-unreachable`,
    `6 -w 3 -t filter -I OUTPUT 1 -j ${NAME}`,
  ]);
});

test('redirects by iptables in the table nat, and cuts in the table filter', () => {
  const slow = { ...facts, aims: [{ address: '10.0.0.7', relayPort: 40_001 }], spare: { from: 61_000, to: 64_999 } };
  const texts = chainRedirect(NAME, slow, true).map(({ args }) => args.slice(2).join(' '));
  expect(texts).toContain(`-t nat -A ${NAME} -d 10.0.0.7 -p tcp --dport 5432 ! --sport 61000:64999 --syn -j REDIRECT --to-ports 40001`);
  expect(texts).toContain(`-t filter -A ${NAME} -d 10.0.0.7 -p tcp --dport 5432 ! --sport 61000:64999 -j REJECT --reject-with tcp-reset`);
  expect(chainRedirect(NAME, slow, false).every(({ args }) => args.includes('nat'))).toBe(true);
});
