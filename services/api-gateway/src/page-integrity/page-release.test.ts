import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { pageScriptsMarkdown, releasedPagesJson } from "../../scripts/page-scripts-markdown.ts";
import { ASSET_REASONS } from "./page-inventory.ts";
import { describeRelease } from "./page-release.ts";

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");

test("the inventory of scripts and the released page are what the code says; `npm run generate` writes them anew", () => {
  const release = describeRelease();
  expect(read("released-pages.json")).toBe(releasedPagesJson(release));
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
  const { headers, tags } = describeRelease();
  expect(tags.map((tag) => tag.split(" ")[0])).toEqual(["link", "script"]);
  for (const tag of tags) expect(tag).toMatch(/nonce="\{nonce\}".* integrity="sha384-[\w+/]{64}"/);
  expect(headers["content-security-policy"]).toContain("report-to page; report-uri {base}/csp-reports");
});
