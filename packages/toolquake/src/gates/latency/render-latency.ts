/** The result of a latency gate as text, JSON, Markdown and JUnit. */
import { assertNever } from '@toolquake/sdk/core';
import { escapeMarkdown, printable } from '../../reporters/escape.js';
import { duration, nullsFor, table, wrapped, type Cell, type Paint } from '../../reporters/figures.js';
import { junitText } from '../../reporters/junit.js';
import { code, table as markdownTable } from '../../reporters/markdown.js';
import {
  ratioText,
  shareText,
  verdictOf,
  type LatencyReport,
  type LatencyVerdict,
  type SideFigures,
  type ToolLatency,
} from './latency-report.js';

/** What is rendered: the result, and what was compared with what. */
export type LatencyResult = LatencyReport & { readonly baseline: string; readonly candidate: string };

/** How. */
export type LatencyFormat = 'console' | 'json' | 'markdown' | 'junit';

/** The result as text of a format. */
export function renderLatency(result: LatencyResult, format: LatencyFormat, paint: Paint): string {
  switch (format) {
    case 'console':
      return consoleText(result, paint);
    case 'json':
      return jsonText(result);
    case 'markdown':
      return markdownText(result);
    case 'junit':
      return latencyJunit(result);
    default:
      return assertNever(format);
  }
}

const HEAD = ['tool', 'baseline p50', 'p95', 'candidate p50', 'p95', 'ratio', '95 % interval', 'P95 ratio', 'sees from', 'verdict'];

const sideCells = (side: SideFigures | undefined): readonly string[] => [duration(side?.p50), duration(side?.p95)];

function cellsOf({ baseline, candidate, ratio, interval, p95Ratio, detectable }: ToolLatency): readonly string[] {
  return [
    ...sideCells(baseline),
    ...sideCells(candidate),
    ratio === undefined ? 'n/a' : ratioText(ratio),
    interval === undefined ? 'n/a' : `${ratioText(interval.low)} to ${ratioText(interval.high)}`,
    p95Ratio === undefined ? 'n/a' : ratioText(p95Ratio),
    detectable === undefined ? 'n/a' : shareText(detectable),
  ];
}

/** One line that says it all. */
export function headlineOf({ gate, tools, baseline, candidate }: LatencyResult): string {
  const verdict = verdictOf(tools);
  const calls = tools.reduce((sum, tool) => sum + tool.calls, 0);
  const slower = tools.filter((tool) => tool.verdict === 'slower').map(({ tool }) => tool);
  const said: Record<LatencyVerdict, string> = {
    passed: 'no slowdown',
    slower: `slower: ${slower.join(', ')}`,
    inconclusive: 'inconclusive, which is no pass',
    aborted: 'aborted, because calls failed',
  };
  return printable(`${said[verdict]} (${gate} gate, ${calls} calls per side; ${candidate} against ${baseline})`);
}

function consoleText(result: LatencyResult, paint: Paint): string {
  const verdict = verdictOf(result.tools);
  const painted = (one: LatencyVerdict): ((text: string) => string) =>
    one === 'passed' ? paint.green : one === 'inconclusive' ? paint.bold : paint.red;
  const rows = result.tools.map((tool): readonly Cell[] => [
    printable(tool.tool),
    ...cellsOf(tool),
    { text: tool.verdict, paint: painted(tool.verdict) },
  ]);
  const why = result.tools.map(({ tool, why: reason }) => wrapped(printable(`${tool}: ${reason}.`), 2)).join('');
  const caveats = result.caveats.map((caveat) => wrapped(`Note: ${caveat}`, 2)).join('');
  return `${painted(verdict)(headlineOf(result))}\n\n${table([HEAD, ...rows], { indent: 2, left: [9] })}\n${why}${caveats}`;
}

/** Unknown is null. A gate that is blind says so by `isBlind`: JSON knows no infinity. */
function jsonText({ gate, tools, caveats, baseline, candidate }: LatencyResult): string {
  const rows = tools.map(({ detectable, ...tool }) => ({
    ...nullsFor(tool),
    detectable: detectable === undefined || !Number.isFinite(detectable) ? null : detectable,
    isBlind: detectable === Infinity,
  }));
  return `${JSON.stringify({ version: 1, gate, verdict: verdictOf(tools), baseline, candidate, caveats, tools: rows }, undefined, 2)}\n`;
}

function markdownText(result: LatencyResult): string {
  const isGood = verdictOf(result.tools) === 'passed';
  const rows = result.tools.map((tool) => [code(tool.tool), ...cellsOf(tool).map(escapeMarkdown), tool.verdict]);
  const reasons = result.tools.map(({ tool, why }) => `- ${code(tool)}: ${escapeMarkdown(why)}\n`).join('');
  const caveats = result.caveats.map((caveat) => `\n> ${escapeMarkdown(caveat)}\n`).join('');
  return `## ${isGood ? '✅' : '❌'} toolquake bench compare\n\n${escapeMarkdown(headlineOf(result))}\n\n${markdownTable(HEAD, rows, [9])}\n${reasons}${caveats}`;
}

function latencyJunit({ gate, tools }: LatencyResult): string {
  const cases = tools.map(({ tool, verdict, why }) => ({
    name: tool,
    outcome: verdict === 'passed' ? ('passed' as const) : { failure: `${verdict}: ${why}` },
    output: why,
  }));
  return junitText('toolquake bench compare', [{ name: `${gate} gate`, cases }]);
}
