/** Takes out of a server's log what differs between any two runs of it: times, durations and process ids. */
export function maskChanging(log: string): string {
  return log
    .replaceAll(/\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:\.\d+)?Z?/g, '<time>')
    .replaceAll(/\b\d{2}:\d{2}:\d{2}(?:\.\d+)?\b/g, '<time>')
    .replaceAll(/\b\d+(?:\.\d+)? ?ms\b/g, '<duration>')
    .replaceAll(/\bpid[ =:]+\d+/gi, '<pid>');
}
