import { expect, test } from "vitest";
import { sourceFiles } from "./source-files.ts";

/**
 * The files that may name these switches: tests that the switches do not help an attacker or are absent, the
 * programs' refusal to start with one, and a reader of a certificate's date, which sends nothing.
 */
const ABOUT_IT = new Set([
  "packages/service-runtime/src/process/read-peer-certificate.ts",
  "tests/security/certificate-checks.test.ts",
  "services/webhook-dispatcher/src/http-client/webhook-client.service.test.ts",
  // Every program refuses to start with the switch.
  "packages/service-runtime/src/settings/config.ts",
  "packages/service-runtime/src/settings/config.test.ts",
]);

const SWITCHES =
  /rejectUnauthorized['"]?\s*:\s*(?!true\b)|NODE_TLS_REJECT_UNAUTHORIZED|checkServerIdentity\s*:|--tls-min-v1\.[01]|insecureHTTPParser:\s*true|--insecure-http-parser/;

test("nothing turns the check of certificates or the strictness of the HTTP parser off", () => {
  const files = sourceFiles(
    "{services,packages,tools,tests,scripts}/**/*.{ts,mjs,js,json}",
    "{.ci/run,package.json,.npmrc,vitest.config.ts}",
  );
  expect(files.size).toBeGreaterThan(400);
  const found = [...files].filter(([path, source]) => !ABOUT_IT.has(path) && SWITCHES.test(source));
  expect(found.map(([path]) => path)).toEqual([]);
});

test.each([
  "{ rejectUnauthorized: false }",
  '"rejectUnauthorized": isProduction',
  "NODE_TLS_REJECT_UNAUTHORIZED=0",
])("%s would be found", (text) => {
  expect(text).toMatch(SWITCHES);
});
