/** The Prometheus text format, version 0.0.4: families of samples, each with its help and its type. Pure. */

/** Labels of a sample, in the order in which they are written. */
export type MetricLabels = Readonly<Record<string, string>>;

/** One line. `suffix` is for the parts of a histogram. */
export type MetricSample = { readonly labels?: MetricLabels; readonly value: number; readonly suffix?: '_bucket' | '_sum' | '_count' };

/** All samples of one name. */
export type MetricFamily = {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly samples: readonly MetricSample[];
};

/** What a scrape is answered with. */
export const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** The text of a scrape. */
export function metricsText(families: readonly MetricFamily[]): string {
  return families.map(familyText).join('');
}

function familyText({ name, help, type, samples }: MetricFamily): string {
  const head = `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${type}\n`;
  return `${head}${samples.map(({ suffix = '', labels = {}, value }) => `${name}${suffix}${labelsText(labels)} ${numberText(value)}\n`).join('')}`;
}

function labelsText(labels: MetricLabels): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

/** A reader undoes exactly this. */
function escapeLabel(value: string): string {
  return wholeText(value).replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

/** Half a character is no UTF-8, and would spoil the page for all others. */
export function wholeText(text: string): string {
  return text.replace(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g, '\uFFFD');
}

function numberText(value: number): string {
  return value === Infinity ? '+Inf' : value === -Infinity ? '-Inf' : String(value);
}
