import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { expect, onTestFinished } from 'vitest';
import type { Place } from './place.js';

/** A program inside the namespace that is connected, and says what becomes of its connection. */
export async function connectedClient(place: Place): Promise<{ send(): void; next(): Promise<string>; stop(): void }> {
  const program = `
const socket = require('node:net').connect(${place.port}, '127.0.0.1', () => console.log('connected'));
socket.on('data', (data) => console.log('answer ' + data)).on('error', (error) => console.log(error.code)).on('close', () => process.exit(0));
process.stdin.on('data', () => socket.write('x')).on('end', () => process.exit(0));`;
  const child = spawn('ip', ['netns', 'exec', place.name, process.execPath, '-e', program], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<string> => String((await lines.next()).value);
  expect(await next()).toBe('connected');
  onTestFinished(() => void child.stdin.end());
  return { send: () => void child.stdin.write('x'), next, stop: () => void child.stdin.end() };
}
