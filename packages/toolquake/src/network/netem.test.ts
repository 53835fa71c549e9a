import { expect, test } from 'vitest';
import { handleOf, netemCalls, netemLeaf, readHandle, readInterface, rootHandle } from './netem.js';

test('reads the root queue, the kernel’s own and that of others', () => {
  expect(rootHandle('qdisc noqueue 0: dev lo root')).toBe('0:');
  expect(rootHandle('qdisc mq 0: root\nqdisc fq_codel 0: parent :1 limit 10240p')).toBe('0:');
  expect(rootHandle('qdisc htb 1: root r2q 10 default 0x30')).toBe('1:');
  expect(rootHandle('')).toBeUndefined();
});

test('hangs netem below a queue of its own, and names what goes through it last', () => {
  const calls = netemCalls({
    dev: 'eth0',
    handle: '3bf:',
    addresses: ['10.0.0.7', 'fd00::7'],
    port: 5432,
    leaf: netemLeaf(200, 50),
  }).map((words) => words.join(' '));
  expect(calls).toEqual([
    'qdisc add dev eth0 root handle 3bf: htb default 0',
    'class add dev eth0 parent 3bf: classid 3bf:1 htb rate 10gbit quantum 60000',
    'qdisc add dev eth0 parent 3bf:1 netem delay 200ms 50ms limit 100000',
    'filter add dev eth0 parent 3bf: protocol ip prio 1 u32 match ip dst 10.0.0.7/32 match ip dport 5432 0xffff flowid 3bf:1',
    'filter add dev eth0 parent 3bf: protocol ipv6 prio 2 u32 match ip6 dst fd00::7/128 match ip6 dport 5432 0xffff flowid 3bf:1',
  ]);
});

test('draws handles that are neither the kernel’s nor reserved, and reads them again', () => {
  for (const half of ['0000', '0001', 'fffc', 'fffd', 'fffe', 'ffff']) {
    const handle = handleOf(`TQ-5f1c09aa-${half}`);
    expect(['0:', 'ffff:']).not.toContain(handle);
    expect(readHandle(handle)).toBe(handle);
  }
});

test.each(['', '-h', 'eth0\nqdisc', 'eth0;id', 'a/b', '..', 'x'.repeat(16), 7, null])('refuses %j as an interface', (value) => {
  expect(() => readInterface(value)).toThrow('interface');
});

test.each(['0:', 'ffff:', '1', ':1', '-1:', '1:\n', 7, undefined])('refuses %j as a handle', (value) => {
  expect(() => readHandle(value)).toThrow('handle');
});
