/** The page of an experiment in a real browser: readable by everybody, offline, without a script, whatever the journal says. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunEntry } from '../../../packages/toolquake/src/core/run-entry.js';
import { PLAIN } from '../../../packages/toolquake/src/reporters/figures.js';
import { HEALED, hostileRun, runJournal, STORIES } from '../../../packages/toolquake/src/reporters/fixtures/run-journals.js';
import { createRunDigest } from '../../../packages/toolquake/src/reporters/run/run-digest.js';
import { renderRun } from '../../../packages/toolquake/src/reporters/run-report.js';
import { coveredWords, launchBrowser, openPage, violationsOn } from './open-page.js';

/** What a name would do if the page let it: each sets `window.pwned`, or asks the network. */
const HOSTILE =
  '</script><img src=x onerror="window.pwned=1">"><svg onload=window.pwned=1> <link rel=stylesheet href=http://127.0.0.1:9/leak.css> \' onmouseover=\'window.pwned=1';

let browser: Browser;
const folder = mkdtempSync(join(tmpdir(), 'toolquake-run-page-'));

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

function pageOf(name: string, entries: readonly RunEntry[]): string {
  const digester = createRunDigest();
  for (const entry of entries) digester.add(entry);
  const path = join(folder, `${name}.html`);
  writeFileSync(path, renderRun(digester.result(), 'html', { subject: name, paint: PLAIN }));
  return pathToFileURL(path).href;
}

const pages: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.entries(STORIES)
      .filter(([name]) => name !== 'inconclusive')
      .map(([name, story]) => [name, pageOf(name, runJournal(story))]),
  ),
  healed: pageOf('healed', runJournal(HEALED)),
  hostile: pageOf('hostile', hostileRun(HOSTILE)),
  torn: pageOf('torn', runJournal(STORIES.held).slice(0, 2000)),
  empty: pageOf('empty', []),
};

describe.each(Object.keys(pages))('the page of a run that is %s', (name) => {
  test.each(['light', 'dark'] as const)('is accessible in %s colours, quiet, and asks the network for nothing', async (colorScheme) => {
    const { page, complaints } = await openPage(browser, pages[name]!, { colorScheme });
    expect(await violationsOn(page)).toEqual([]);
    await page.evaluate(() => document.querySelectorAll('details').forEach((one) => (one.open = true)));
    expect(await violationsOn(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await page.close();
  });

  test('fits into phones, tablets and screens, with no word of a plot over another', async () => {
    for (const width of [320, 600, 1180]) {
      const { page } = await openPage(browser, pages[name]!, { viewport: { width, height: 800 } });
      const [needed, given] = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
      expect([width, needed]).toEqual([width, given]);
      if (name !== 'hostile') expect(await coveredWords(page), `${width}`).toEqual([]);
      await page.close();
    }
  });
});

test('says verdict, marks of MTTD and MTTR, the proof of the undo, and the figures behind the plot, without JavaScript', async () => {
  const { page } = await openPage(browser, pages['held']!, { javaScriptEnabled: false });
  const text = await page.locator('body').innerText();
  for (const words of [
    'Held.',
    'Every rule held',
    'each verified',
    'chain TOOLQUAKE-7f3a is not there any more',
    'Over time',
    'Numbers of this plot',
  ])
    expect(text).toContain(words);
  const plot = (await page.locator('figure svg:visible').first().textContent()) ?? '';
  for (const words of ['MTTD 10.9 s', 'recovery 2.57 s', 'fault on: block-dependency', 'control', 'faulted']) expect(plot).toContain(words);
  expect(await page.locator('figure').first().locator('tbody tr').count()).toBeGreaterThan(50);
  await page.close();
});

test('what heals itself has its MTTR in the plot', async () => {
  const { page } = await openPage(browser, pages['healed']!);
  expect(await page.locator('figure svg:visible').first().textContent()).toContain('MTTR 24 s');
  await page.close();
});

test('the lanes differ by dash, not by colour alone', async () => {
  const { page } = await openPage(browser, pages['aborted']!);
  const dashes = await page
    .locator('figure svg:visible')
    .first()
    .locator('path.curve')
    .evaluateAll(
      (paths) => new Set(paths.map((path) => `${path.parentElement?.getAttribute('class')} ${path.getAttribute('stroke-dasharray')}`)).size,
    );
  expect(dashes).toBe(3);
  await page.close();
});

test('a run that left something behind, or injected nothing, says so first', async () => {
  for (const [name, words] of [
    ['undo-failed', 'Not put back:'],
    ['not-injected', 'Not injected:'],
  ] as const) {
    const { page } = await openPage(browser, pages[name]!);
    expect(await page.locator('.alert strong').allInnerTexts()).toContain(words);
    await page.close();
  }
});

test('a hostile journal is inert', async () => {
  const { page, complaints } = await openPage(browser, pages['hostile']!);
  await page.mouse.move(300, 400);
  expect(await page.evaluate('window.pwned')).toBeUndefined();
  expect(await page.locator('img, script, link, iframe, object').count()).toBe(0);
  expect(complaints).toEqual([]);
  await page.close();
});
