/** Pages in a real browser, and what is wrong with them. */
import axe from 'axe-core';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';

/** The Chromium of this system. */
export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  });

/** Opens a page, and collects everything that it should not do. */
export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<{ page: Page; complaints: string[] }> {
  const page = await browser.newPage({ locale: 'en-US', viewport: { width: 1180, height: 900 }, ...options });
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
  page.on('request', (request) => {
    if (request.url() !== url) complaints.push(`request: ${request.url()}`);
  });
  await page.goto(url);
  return { page, complaints };
}

type AxeResult = { readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[] };

/** What axe has against it. */
export async function violationsOn(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate('axe.run()')) as AxeResult;
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`);
}

/** Words of a plot that cover each other. */
export function coveredWords(page: Page): Promise<readonly string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('svg')]
      .filter((svg) => getComputedStyle(svg).display !== 'none')
      .flatMap((svg) => {
        const boxes = [...svg.querySelectorAll('text')].map((text) => ({ text: text.textContent, box: text.getBoundingClientRect() }));
        return boxes.flatMap((one, index) =>
          boxes
            .slice(index + 1)
            .filter(({ box }) => {
              const width = Math.min(one.box.right, box.right) - Math.max(one.box.left, box.left);
              const height = Math.min(one.box.bottom, box.bottom) - Math.max(one.box.top, box.top);
              return width > 1 && height > 4;
            })
            .map(({ text }) => `${one.text} / ${text}`),
        );
      }),
  );
}
