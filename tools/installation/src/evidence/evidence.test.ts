import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { z } from "zod";
import { summarize, type Evidence } from "./evidence.ts";
import { findingsIn } from "./findings.ts";
import { readSettings, RINGS } from "./read-settings.ts";

const NOTHING: Evidence = {
  installation: {
    name: "a shop",
    isSandbox: false,
    collectedAt: "2026-11-29T23:52:34Z",
    collectedOn: "a machine",
    database: "holdfast on db.example:5432, read as postgres",
    processes: [],
  },
  versions: { holdfast: "0.1.0", node: "26", postgresql: "18" },
  tls: [],
  keys: [],
  access: {
    databaseRoles: [],
    busUsers: {},
    operatorRoles: {},
    staffRoles: {},
    credentials: { live: 0, test: 0, unused: 0, revoked: 0, oldest: null, byPepper: [], list: [] },
    fingerprintKeys: [],
    refusedOperators: 0,
  },
  retention: [],
  cardNumbers: {
    database: { tables: [], skipped: 0, withoutTexts: ["payments.rule_attempt"], found: [] },
    files: { files: [], unread: [], found: [] },
  },
  audit: { intact: true, lines: ["5 intact, 0 broken"], anchored: false, samples: [], request: null },
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

const ring = (...ids: string[]) => ({
  ids,
  bits: 256,
  given: "in clear",
  ...RINGS["FILE_KEYS"]!,
});

test("what is missing, without TLS or too old is a finding, and this machine alone needs no TLS", () => {
  expect(findingsIn(NOTHING)).toEqual([
    "no file was searched for card numbers (--scan-path)",
    "the audit log was not compared with heads that were kept (--anchors)",
    "the payment page was not compared (--page)",
    "no listener was tried (--listener)",
    "no process's settings were read (--environment)",
  ]);
  const tls = ["127.0.0.1:8080", "10.0.0.7:8080", "::1:8080"].map((address) => ({
    listener: "merchant",
    address,
    suites: {},
    faults: [],
  }));
  const keys = [{ process: "payments", rings: { FILE_KEYS: ring("2026-11-01", "2025-10-31-b", "k1") } }];
  const findings = findingsIn({ ...NOTHING, tls, keys });
  expect(findings).toContain("merchant (10.0.0.7:8080) has no TLS");
  expect(findings.filter((finding) => finding.includes("TLS"))).toHaveLength(1);
  expect(findings.filter((finding) => finding.includes("older"))).toEqual([
    "FILE_KEYS 2025-10-31-b is older than a year",
  ]);
});

test("the summary says how each key is given, its strength, and its age where that is known", () => {
  const keys = [
    {
      process: "payments",
      rings: { FILE_KEYS: { ...ring("2026-11-01", "k1"), given: "wrapped by a device" } },
    },
  ];
  expect(summarize({ ...NOTHING, keys })).toContain(
    "AES-256-GCM at rest, 256 bits, given wrapped by a device; 2026-11-01 (2026-11-01), k1 (age not known); 2026-11-01 is used",
  );
});

test("the summary names the tables that have no texts, the files that were searched, and shows a line of each log", () => {
  const newest = { action: "payment.resolved" };
  const summary = summarize({
    ...NOTHING,
    cardNumbers: {
      ...NOTHING.cardNumbers,
      files: { files: [{ file: "logs/a.log", bytes: 7 }], unread: ["base.tar.zst"], found: [] },
    },
    audit: {
      ...NOTHING.audit,
      samples: [{ log: "payments", actions: { "access.refused": 2 }, newest }],
      request: '{"msg":"request"}',
    },
  });
  for (const piece of [
    "payments.rule_attempt",
    "- logs/a.log, 7 bytes",
    "- base.tar.zst was not searched whole: unpack it",
    "access.refused 2",
    '{"action":"payment.resolved"}',
    '{"msg":"request"}',
  ])
    expect(summary).toContain(piece);
});

test("every ring that the documents name has its use", () => {
  const page = readFileSync(new URL("../../../../docs/keys.md", import.meta.url), "utf8");
  const [first = ""] = page.split("\n## ");
  const named = [...first.matchAll(/^\| `(\w+_(?:KEYS|PEPPERS))`/gm)].map(([, name]) => name);
  expect(Object.keys(RINGS).toSorted()).toEqual(named.toSorted());
});

test("a log level that leaves requests out is named, and plain text on this machine is not", () => {
  const service = {
    config: z.object({
      LOG_LEVEL: z.string(),
      TLS_CERT_FILE: z.string().optional(),
      DATABASE_URL: z.string(),
    }),
    retention: [],
  };
  const weakeningAt = (host: string, level: string) =>
    readSettings(
      { LOG_LEVEL: level, LISTEN_HOST: host, DATABASE_URL: `postgres://${host}/holdfast` },
      service,
    ).weakening;
  expect(weakeningAt("127.0.0.1", "info")).toEqual([]);
  expect(weakeningAt("10.0.0.7", "warn")).toEqual([
    "TLS_CERT_FILE: the listener uses plain HTTP, and not on this machine alone",
    "LOG_LEVEL: requests that succeed are not in the log",
    "DATABASE_URL: PostgreSQL, on another machine, is not checked by its certificate",
  ]);
});

test("ranges beside the public addresses to which webhooks may go are named", () => {
  const config = z.object({ WEBHOOK_ALLOWED_CIDRS: z.string().optional() });
  const weakeningOf = (env: NodeJS.ProcessEnv) => readSettings(env, { config, retention: [] }).weakening;
  expect(weakeningOf({})).toEqual([]);
  expect(weakeningOf({ WEBHOOK_ALLOWED_CIDRS: "10.0.0.0/8" })).toEqual([
    "WEBHOOK_ALLOWED_CIDRS: webhooks may go to addresses that are not public",
  ]);
});

test("a ring is described by its ids, its strength, and whoever holds the key that wraps it", () => {
  const service = { config: z.object({}), retention: [] };
  const text = `k2:${Buffer.alloc(32, 7).toString("base64")},k1:${Buffer.alloc(32, 8).toString("base64")}`;
  const ringsOf = (given?: NodeJS.ProcessEnv) => readSettings({ FILE_KEYS: text }, service, given).rings;
  expect(ringsOf()["FILE_KEYS"]).toMatchObject({ ids: ["k2", "k1"], bits: 256, given: "in clear" });
  const wrapped = { FILE_KEYS: "wrapped.v1.a.b", KEY_PROVIDER: "file:/kek/1,/kek/2" };
  expect(ringsOf(wrapped)["FILE_KEYS"]).toMatchObject({ given: "wrapped by a key in two files" });
});
