import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { pageScriptsMarkdown } from "../../scripts/page-scripts-markdown.ts";
import { ASSET_REASONS } from "./page-inventory.ts";
import { loadPageAssets } from "../public-pages/checkout/page-assets.ts";
import { describeRelease } from "./page-release.ts";
import { releasedPages } from "./released-pages.ts";

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");

test("the inventory of scripts and the released page are what the code says; `npm run generate` writes them anew", () => {
  const release = describeRelease();
  expect(read("../../../../docs/page-scripts.md")).toBe(pageScriptsMarkdown(release));
});

test("a script without a reason, or a reason without its script, is refused", () => {
  const { "checkout.js": reason = "", ...others } = ASSET_REASONS;
  const release = describeRelease();
  try {
    delete ASSET_REASONS["checkout.js"];
    expect(() => pageScriptsMarkdown(release)).toThrow("no reason for checkout.js");
    Object.assign(ASSET_REASONS, { "checkout.js": reason, "gone.js": "It was needed once." });
    expect(() => pageScriptsMarkdown(release)).toThrow("what is gone: gone.js");
  } finally {
    delete ASSET_REASONS["gone.js"];
    Object.assign(ASSET_REASONS, { ...others, "checkout.js": reason });
  }
});

test("the released page has one script and one style, both with their digest, and a policy that reports", () => {
  const { headers } = describeRelease();
  const assets = loadPageAssets("https://pay.example");
  for (const { lines } of releasedPages({ assets, language: "en", installments: 1, isTest: false })) {
    const loading = lines.filter((line) => /^<(?:link|script|style)|\bsrc=/.test(line));
    expect(loading.map((tag) => tag.split(" ")[0])).toEqual(["<link", "<script"]);
    for (const tag of loading) expect(tag).toMatch(/nonce="\{nonce\}".* integrity="sha384-[\w+/]{64}"/);
  }
  expect(headers["content-security-policy"]).toContain("report-to page; report-uri {base}/csp-reports");
});

test("only the page of an open checkout takes a card, by one form, and whatever it sends goes to its own address", () => {
  const assets = loadPageAssets("https://pay.example");
  for (const { name, lines } of releasedPages({ assets, language: "tr", installments: 3, isTest: true })) {
    const forms = lines.filter((line) => line.startsWith("<form"));
    for (const form of forms) expect(form).toContain(' action="{path}/');
    expect(forms.filter((form) => form.includes("card-form"))).toHaveLength(
      name === "an open checkout" ? 1 : 0,
    );
    expect(lines.filter((line) => line.includes('name="pan"'))).toHaveLength(
      name === "an open checkout" ? 1 : 0,
    );
  }
});
