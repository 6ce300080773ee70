// Each name in the details of an audit entry has its words on the console's pages.
import { stripTypeScriptTypes } from "node:module";
import {
  accountChangeSchema,
  brandingSchema,
  merchantRoutesSchema,
  merchantSettingsSchema,
} from "@holdfast/contracts";
import { parse, type AnyNode } from "acorn";
import { expect, test } from "vitest";
import { z } from "zod";
import { DETAIL_NAMES, detailName } from "../../services/console/src/ui/detail-names.ts";
import { auditSources } from "./audit-sources.ts";

/** Functions with an entry's record, or its detail, as the last argument and the transaction as the first one. */
const WRITES = /audit|^refuseAttempt$/i;

/** The other parts of a record, and columns: some functions get a row as their last argument. */
const NO_DETAIL = /^(?:actor|action|subject)$|_/;

/** Names that are put together elsewhere: of a person, a dispute, a merchant and an account. */
const COMPOSED = [
  "staffOf",
  "reasonCode",
  "bankReference",
  "respondBy",
  "status",
  "secretsChange",
  "installmentPrices",
];

/** The settings that an entry repeats. What a bank's own settings are called is the bank's. */
const REPEATED = z.object({
  ...merchantSettingsSchema.shape,
  branding: brandingSchema,
  routes: merchantRoutesSchema.shape.routes,
  attributes: accountChangeSchema.omit({ secrets: true }),
});

/** By its name, each value that a file gives to a constant. */
type Constants = Map<string, AnyNode[]>;

function writtenIn(source: string): string[] {
  const nodes = [
    ...nodesIn(parse(stripTypeScriptTypes(source), { ecmaVersion: "latest", sourceType: "module" })),
  ];
  const constants: Constants = new Map();
  for (const node of nodes)
    if (node.type === "VariableDeclarator" && node.id.type === "Identifier" && node.init)
      constants.set(node.id.name, [...(constants.get(node.id.name) ?? []), node.init]);
  return nodes.flatMap((node) => {
    if (node.type !== "CallExpression" || node.callee.type !== "Identifier") return [];
    const [first, last] = [node.arguments[0], node.arguments.at(-1)];
    if (!WRITES.test(node.callee.name) || first?.type !== "Identifier" || first.name !== "trx") return [];
    const pairs = pairsOf(last!, constants);
    if (node.callee.name !== "appendAudit") return namesOf(pairs, constants);
    const details = pairs.filter(([name]) => name === "detail").map(([, value]) => value);
    return details.flatMap((detail) => namesOf(pairsOf(detail, constants), constants));
  });
}

function namesOf(pairs: [name: string, value: AnyNode][], constants: Constants): string[] {
  return pairs.flatMap(([name, value]) => [
    name,
    ...(value.type === "ObjectExpression" ? namesOf(pairsOf(value, constants), constants) : []),
  ]);
}

/** The members of an object that is written there, of a constant, or of either where a condition decides. */
function pairsOf(node: AnyNode, constants: Constants): [name: string, value: AnyNode][] {
  if (node.type === "Identifier")
    return (constants.get(node.name) ?? []).flatMap((each) => pairsOf(each, constants));
  if (node.type === "LogicalExpression") return pairsOf(node.right, constants);
  if (node.type !== "ObjectExpression") return [];
  return node.properties.flatMap((property): [string, AnyNode][] => {
    if (property.type === "SpreadElement") return pairsOf(property.argument, constants);
    return property.key.type === "Identifier" ? [[property.key.name, property.value]] : [];
  });
}

function* nodesIn(value: unknown): Generator<AnyNode> {
  if (typeof value !== "object" || value === null) return;
  if ("type" in value) yield value as AnyNode;
  for (const child of Object.values(value)) yield* nodesIn(child);
}

function writtenNames(): string[] {
  const schema = JSON.stringify(z.toJSONSchema(REPEATED, { io: "input", unrepresentable: "any" }));
  const names = [...auditSources().flatMap(writtenIn), ...COMPOSED, ...keysIn(JSON.parse(schema))];
  return [...new Set(names)].filter((name) => !NO_DETAIL.test(name)).toSorted();
}

function keysIn(schema: unknown): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const own = "properties" in schema ? Object.keys(schema.properties as object) : [];
  return [...own, ...Object.values(schema).flatMap(keysIn)];
}

test.each(Object.entries(DETAIL_NAMES))("each name has words, and words are of a name (%s)", (_, words) => {
  expect(Object.keys(words).toSorted()).toEqual(writtenNames());
});

test("a detail's name is the words of its path, with a place in a list", () => {
  expect(detailName({ language: "en" }, "routes.0.accountId")).toBe("Routes › 1 › Account");
  expect(detailName({ language: "tr" }, "changes.rules.to")).toBe("Değişiklikler › Kurallar › Son");
});
