// `npm run contact-sheet`: the console's main pages on one picture, from those that the browser tests have left.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readCommandLine, runProgram } from "@holdfast/service-runtime/command-line";
import { launchChromium } from "./launch-chromium.ts";

const HELP = `npm run contact-sheet

Writes docs/console-pages.jpg from the pictures in .cache/screenshots, which npm run test:browser leaves there.
`;
const ROOT = join(import.meta.dirname, "..", "..");

/** Pages by the names of their pictures, in the order of the head's links; the second half is of a merchant's staff. */
const PAGES: readonly (readonly [picture: string, caption: string])[] = [
  ["overview-vera-1280-light", "Overview"],
  ["case-file-1280-light", "A payment's case file"],
  ["refund-queue-1280-light", "Refunds that wait"],
  ["refund-review-1280-light", "A selection of refunds, before the decision"],
  ["case-file-stuck-1280-light", "An unknown outcome"],
  ["merchant-1280-light", "A merchant"],
  ["merchant-routes-1280-light", "Its routes"],
  ["staff-overview-1280-light", "Staff: overview"],
  ["staff-disputes-1280-light", "Staff: disputes"],
];

/** The upper part of each page, as wide as it was. */
const STYLE = `
body { margin: 12px; font: 15px system-ui, "DejaVu Sans", sans-serif; background: #e7ebef; }
main { display: grid; grid-template-columns: repeat(3, 1fr); gap: 14px; }
figure { margin: 0; }
div { height: 300px; overflow: hidden; border: 1px solid #b8c2cc; background: #ffffff; }
img { width: 100%; display: block; }
figcaption { padding: 4px 2px; }
`;

await runProgram(
  "contact-sheet",
  async (args) => {
    if (!readCommandLine(args, { help: HELP, options: {} })) return;
    const cells = await Promise.all(PAGES.map(cellOf));
    const browser = await launchChromium();
    try {
      const page = await browser.newPage({ viewport: { width: 1_260, height: 400 } });
      await page.setContent(`<style>${STYLE}</style><main>${cells.join("")}</main>`, { waitUntil: "load" });
      const sheet = await page.screenshot({ type: "jpeg", quality: 72, fullPage: true });
      await writeFile(join(ROOT, "docs", "console-pages.jpg"), sheet);
    } finally {
      await browser.close();
    }
  },
  { trace: true },
);

async function cellOf([picture, caption]: readonly [string, string]): Promise<string> {
  const bytes = await readFile(join(ROOT, ".cache", "screenshots", `${picture}.png`));
  return `<figure><div><img src="data:image/png;base64,${bytes.toString("base64")}"></div><figcaption>${caption}</figcaption></figure>`;
}
