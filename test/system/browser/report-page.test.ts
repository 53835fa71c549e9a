/** The report page in a real browser: readable by everybody, offline, without a script, whatever the journal says. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JournalEntry } from '../../../packages/sdk/src/core/index.js';
import { renderHtml } from '../../../packages/toolquake/src/reporters/html.js';
import { createDigest } from '../../../packages/toolquake/src/reporters/journal-digest.js';
import { comparisonJournal, hostileJournal, hysteresisJournal, liveJournal } from '../../report/sample-journals.js';
import { coveredWords, launchBrowser, openPage, violationsOn } from './open-page.js';

/** What a name would do if the page let it: each sets `window.pwned`, or asks the network. */
const HOSTILE = [
  '</script><img src=x onerror="window.pwned=1">',
  '"><svg onload=window.pwned=1>',
  "' onmouseover='window.pwned=1",
  '</title></style><script>window.pwned=1</script>',
  '<img src=http://127.0.0.1:9/leak><link rel=stylesheet href=http://127.0.0.1:9/leak.css>',
  'javascript:window.pwned=1//]]>-->',
].join(' ');

let browser: Browser;
const folder = mkdtempSync(join(tmpdir(), 'toolquake-page-'));

beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

const made = new Map<string, string>();

/** Made once, opened often. */
function pageOf(name: string, entries: Iterable<JournalEntry>): string {
  const held = made.get(name);
  if (held !== undefined) return held;
  const digest = createDigest();
  for (const entry of entries) digest.add(entry);
  const path = join(folder, `${name}.html`);
  writeFileSync(path, renderHtml(digest.result(), { subject: name }));
  const url = pathToFileURL(path).href;
  made.set(name, url);
  return url;
}

const pages: Readonly<Record<string, () => string>> = {
  live: () => pageOf('live', liveJournal()),
  comparison: () => pageOf('comparison', comparisonJournal({ seeds: 5 })),
  hysteresis: () => pageOf('hysteresis', hysteresisJournal({ seeds: 5 })),
  hostile: () => pageOf('hostile', hostileJournal(HOSTILE)),
};

describe.each(Object.entries(pages))('the page of a %s journal', (_, urlOf) => {
  test.each(['light', 'dark'] as const)('is accessible in %s colours, quiet, and asks the network for nothing', async (colorScheme) => {
    const { page, complaints } = await openPage(browser, urlOf(), { colorScheme });
    expect(await violationsOn(page)).toEqual([]);
    // With every table open, too.
    await page.evaluate(() => document.querySelectorAll('details').forEach((one) => (one.open = true)));
    expect(await violationsOn(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await page.close();
  });

  test.each([320, 375, 600, 860, 1180, 1920])('fits into %i pixels', async (width) => {
    const { page } = await openPage(browser, urlOf(), { viewport: { width, height: 800 } });
    const [needed, given] = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
    expect(needed).toBeLessThanOrEqual(given ?? 0);
    // One picture of each plot is shown, never none and never two.
    const shown = await page
      .locator('figure')
      .evaluateAll((figures) =>
        figures.map((figure) => [...figure.querySelectorAll('svg')].filter((svg) => getComputedStyle(svg).display !== 'none').length),
      );
    expect(shown).toEqual(shown.map(() => 1));
    await page.close();
  });

  test('shows all of it without JavaScript', async () => {
    const { page, complaints } = await openPage(browser, urlOf(), { javaScriptEnabled: false });
    expect(await page.getByRole('heading', { name: 'What broke' }).isVisible()).toBe(true);
    expect(await page.locator('figure svg:visible').count()).toBeGreaterThan(0);
    expect(complaints).toEqual([]);
    await page.close();
  });
});

test('a hostile journal is inert: nothing runs, nothing is loaded, its names are read as they are', async () => {
  const { page, complaints } = await openPage(browser, pages['hostile']!());
  await page.mouse.move(300, 400);
  expect(await page.evaluate('window.pwned')).toBeUndefined();
  expect(await page.locator('img, script, link, iframe, object').count()).toBe(0);
  expect(await page.locator('body').innerText()).toContain('</script><img src=x');
  expect(complaints).toEqual([]);
  await page.close();
});

test('no words of a plot cover each other', async () => {
  for (const name of ['live', 'comparison', 'hysteresis']) {
    const { page } = await openPage(browser, pages[name]!());
    expect(await coveredWords(page), name).toEqual([]);
    await page.close();
  }
});

test('colours follow the system, and the switch by keys alone', async () => {
  const { page } = await openPage(browser, pages['hysteresis']!(), { colorScheme: 'dark' });
  const paper = (): Promise<string> => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await paper();
  await page.locator('#theme-auto').focus();
  await page.keyboard.press('ArrowRight');
  expect(await page.locator('#theme-light').isChecked()).toBe(true);
  const light = await paper();
  expect(light).not.toBe(dark);
  await page.keyboard.press('ArrowRight');
  expect(await paper()).toBe(dark);
  await page.close();
});

test('tables behind plots open by keys, and every plot has a name and a description', async () => {
  const { page } = await openPage(browser, pages['comparison']!());
  const summary = page.locator('figure summary').first();
  await summary.focus();
  await page.keyboard.press('Enter');
  expect(await page.locator('figure details').first().getAttribute('open')).not.toBeNull();
  expect(await page.locator('figure').first().getByRole('row').count()).toBeGreaterThan(1);
  for (const plot of await page.locator('figure svg:visible').all()) {
    const named = (await plot.getAttribute('aria-labelledby')) ?? '';
    for (const id of named.split(' ')) expect((await page.locator(`[id="${id}"]`).textContent()) ?? '').not.toBe('');
  }
  await page.close();
});

test('on paper every table is open', async () => {
  const { page } = await openPage(browser, pages['hysteresis']!(), { colorScheme: 'dark' });
  await page.emulateMedia({ media: 'print' });
  expect(await page.locator('figure table').first().isVisible()).toBe(true);
  expect(await page.locator('.theme').isVisible()).toBe(false);
  expect((await page.pdf()).length).toBeGreaterThan(10_000);
  await page.close();
});
