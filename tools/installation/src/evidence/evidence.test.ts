import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { summarize, type Evidence } from "./evidence.ts";

const NOTHING: Evidence = {
  versions: {
    holdfast: "0.1.0",
    node: "26",
    postgresql: "18",
    packages: 1,
    collectedAt: "2026-11-29T23:52:34Z",
  },
  tls: [],
  keys: [],
  access: {
    databaseRoles: [],
    operatorRoles: {},
    staffRoles: {},
    credentials: { live: 0, revoked: 0, oldest: null, byPepper: [] },
    fingerprintKeys: [],
    refusedOperators: 0,
  },
  retention: [],
  cardNumbers: { database: { tables: [], skipped: 0, found: [] }, files: { files: 0, bytes: 0, found: [] } },
  audit: { intact: true, lines: ["5 intact, 0 broken"] },
  page: { notCollected: "no page was given (--page)" },
  settings: [],
};

test("the summary has a section for each part that the matrix names as evidence", () => {
  const matrix = readFileSync(new URL("../../../../docs/pci-dss.md", import.meta.url), "utf8");
  const cells = matrix.split("\n").flatMap((line) => line.split(" | ").slice(4, 5));
  const named = new Set(
    cells.flatMap((cell) => [...cell.matchAll(/`([a-z]+[A-Z]?[a-z]+)`/g)].map(([, name]) => name)),
  );
  const parts = Object.keys(NOTHING).filter((part) => named.has(part));
  expect(parts).toEqual(Object.keys(NOTHING));
  for (const part of parts) expect(summarize(NOTHING)).toMatch(new RegExp(`^## .*: \`${part}\` \\(`, "m"));
});

test("a part that was not collected says so, and settings in force are named", () => {
  const summary = summarize(NOTHING);
  expect(summary.match(/^Not collected: /gm)).toHaveLength(5);
  const inForce = { SESSION_IDLE: "900000", OPERATOR_REQUIRED_AMR: "mfa" };
  expect(summarize({ ...NOTHING, settings: [{ process: "console", weakening: [], inForce }] })).toContain(
    "**In force in console**\n\n- SESSION_IDLE: 900000\n- OPERATOR_REQUIRED_AMR: mfa",
  );
});
