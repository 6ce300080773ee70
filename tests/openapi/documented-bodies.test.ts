// Each block of JSON in docs/ has a mark of its kind, and is valid: the body of an operation, as the gateway parses it,
// a line of a log, or a part of a settlement mapping. The guides of docs/merchant are executed elsewhere.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CONNECTORS } from "@holdfast/banks";
import { auditHeadIn } from "@holdfast/audit";
import { ENDPOINTS } from "@holdfast/contracts";
import { expect, test } from "vitest";
import { z } from "zod";
import { fixedFile } from "../../services/settlement/src/import/mapping.ts";
import { parseJson } from "../../services/api-gateway/src/endpoint/parse-json.ts";
import { parseRequest } from "../../services/api-gateway/src/endpoint/parse-request.ts";
import { Refusal } from "../../services/api-gateway/src/http/refusal.ts";

/** The protocols of banks, each of which the document has an account of. */
const FOREIGN = [...CONNECTORS.values()].filter(({ protocol }) => protocol !== "sim");

const docs = join(import.meta.dirname, "..", "..", "docs");

type Block = { document: string; mark: string; json: string };

const blocks = globSync("*.md", { cwd: docs }).flatMap((document) => {
  const text = readFileSync(join(docs, document), "utf8");
  return [...text.matchAll(/^```json(?: (\w+))?\n([^]*?)^```$/gm)].map(([, mark = "", json = ""]): Block => ({
    document,
    mark,
    json,
  }));
});

const bodies = blocks.filter(({ mark }) => mark !== "auditHead" && mark !== "mappingFile");

test("there are some, and each names what it is", () => {
  expect(blocks.map(({ document, mark }) => `${document} ${mark}`).toSorted()).toEqual([
    ...FOREIGN.map(() => "acquirers.md createAcquirerAccount"),
    "acquirers.md putMerchantRoutes",
    "operators.md auditHead",
    "operators.md createMerchant",
    "settlement.md mappingFile",
  ]);
});

test.each(bodies)("$document: the body of $mark is taken", ({ mark, json }) => {
  const { request } = ENDPOINTS.find(({ operationId }) => operationId === mark)!;
  const parsed = parseRequest(request!, parseJson(Buffer.from(json)), { unknown: "unknown_field" });
  expect(parsed instanceof Refusal ? parsed.extra?.members : undefined).toBeUndefined();
});

test.each(FOREIGN)("acquirers.md: $protocol takes the settings and the secrets", (connector) => {
  const accounts = bodies.map(({ json }) => JSON.parse(json) as Record<string, unknown>);
  const { settings, secrets } = accounts.find(({ protocol }) => protocol === connector.protocol)!;
  expect(connector.settings.safeParse(settings).error).toBeUndefined();
  expect(connector.secrets.safeParse(secrets).error).toBeUndefined();
});

const sections = readFileSync(join(docs, "acquirers.md"), "utf8").split(/^## /m);
const sectionOf = (protocol: string) =>
  sections.findLast((text) => text.includes(`"protocol": "${protocol}"`))!;

test.each(FOREIGN)("acquirers.md: $protocol has a row for each setting and each secret", (connector) => {
  const section = sectionOf(connector.protocol);
  const cells = [...section.matchAll(/^\| (`[^|]*) \|/gm)].map(([, cell = ""]) => cell);
  const named = new Set(cells.flatMap((cell) => cell.match(/(?<=`)\w+/g) ?? []));
  const names = [connector.settings, connector.secrets].flatMap((schema) =>
    Object.keys(z.toJSONSchema(schema, { io: "input" }).properties ?? {}),
  );
  expect(names.filter((name) => !named.has(name))).toEqual([]);
});

test.each(FOREIGN)("acquirers.md: $protocol says what names its terminal", ({ protocol, terminal }) => {
  const [, sentence = ""] = /^(`.*`) name the terminal\.$/m.exec(sectionOf(protocol)) ?? [];
  expect(sentence.match(/(?<=`)\w+(?=`)/g)).toEqual([...terminal.settings, ...terminal.secrets]);
});

test("acquirers.md: each protocol whose notifications are read says how they are signed", () => {
  const section = sections.find((text) => text.startsWith("Notifications of banks\n"))!;
  const reading = [...CONNECTORS.values()].filter((connector) => connector.readNotification !== undefined);
  expect(reading.length).toBeGreaterThan(1);
  for (const { protocol } of reading) expect(section).toContain(`| \`${protocol}\` |`);
});

test("settlement.md: the layout of a file is one that a mapping may have", () => {
  const { json } = blocks.find(({ mark }) => mark === "mappingFile")!;
  expect(fixedFile.safeParse(JSON.parse(json)).error).toBeUndefined();
});

test("operators.md: the line of a log has a head that can be compared", () => {
  const { json } = blocks.find(({ mark }) => mark === "auditHead")!;
  expect(auditHeadIn(json)).toEqual((JSON.parse(json) as { head: unknown }).head);
});
