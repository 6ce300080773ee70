import type { MerchantDocument, Operation, SchemaObject } from "./merchant-document.ts";
import {
  ABOUT_EXAMPLES,
  FIELDS_PAGE,
  nameOf,
  pageOf,
  type CommonAnswers,
  type Group,
  type ShownOperation,
} from "./reference-operations.ts";

/** The overview as Markdown, for programs that read for people. */
export function writeOverview(
  { info }: MerchantDocument,
  groups: readonly Group[],
  { all, withBody }: CommonAnswers,
): string {
  const rows = (answers: ReadonlyMap<string, string>, of: string) =>
    [...answers].map(([status, description]) => [code(status), description, of]);
  return joined([
    "# Reference",
    info.description,
    ABOUT_EXAMPLES,
    "The same as OpenAPI 3.1: [openapi.json](../openapi.json).",
    ...groups.flatMap(({ name, description, shown }) => [
      `## [${name}](${pageOf(name)}.md)`,
      `${description}.`,
      shown.map(({ line, operation }) => `- ${operation.summary}: ${code(line)}`).join("\n"),
    ]),
    "## Answers of every operation",
    table(
      ["Answer", "Meaning", "Answered by"],
      [...rows(all, "every operation"), ...rows(withBody, "operations with a body")],
    ),
  ]);
}

/** The page of a group as Markdown. Each example's block is marked with its operation. */
export function writeGroup({ name, description, shown }: Group): string {
  return joined([`# ${name}`, `${description}.`, ...shown.flatMap(writeOperation)]);
}

/** The page of all fields as Markdown. */
export function writeFields({ components }: MerchantDocument): string {
  return joined([
    "# Fields",
    ...Object.entries(components.schemas).flatMap(([name, schema]) => [
      `## ${name}`,
      schema.description ?? "",
      schema.properties ? fieldTable(schema) : [typeOf(schema), limitsOf(schema)].filter(Boolean).join(". "),
    ]),
  ]);
}

function writeOperation({ line, operation, body, answers, samples }: ShownOperation): string[] {
  const { operationId, summary, description, parameters = [], requestBody, responses } = operation;
  return [
    `## ${summary}`,
    code(line),
    description,
    table(
      ["Parameter", "In", "Description"],
      parameters.map(({ name, in: place, required, description: about = "", schema = {} }) => [
        nameWith(name, required === true),
        place,
        [about, limitsOf(schema)].filter(Boolean).join(". "),
      ]),
    ),
    body ? fieldTable(body) : requestBody ? `Body: ${typesIn(requestBody.content)}` : "",
    table(
      ["Answer", "Meaning", "Body"],
      answers.map(([status, answer]) => [code(status), answer.description, typesIn(answer.content)]),
    ),
    samples.length > 0 ? "And [those of every operation](reference.md#answers-of-every-operation)." : "",
    ...samples.map((sample) => block(`${sample.language} ${operationId}`, sample.code)),
    ...(samples.length > 0 ? [] : examplesIn("Request", requestBody?.content)),
    ...examplesIn("Answer", Object.values(responses)[0]?.content),
  ];
}

function fieldTable({ properties = {}, required = [] }: SchemaObject): string {
  return table(
    ["Field", "Type", "Description"],
    Object.entries(properties).map(([field, value]) => [
      nameWith(field, required.includes(field)),
      typeOf(value),
      [value.description ?? "", limitsOf(value)].filter(Boolean).join(". "),
    ]),
  );
}

function nameWith(name: string, isRequired: boolean): string {
  return isRequired ? `${code(name)}, required` : code(name);
}

type Content = Operation["responses"][string]["content"];

function examplesIn(label: string, content: Content = {}): string[] {
  return Object.values(content)
    .filter(({ example }) => example !== undefined)
    .flatMap(({ example }) => [`${label}:`, block("json", JSON.stringify(example, null, 2))]);
}

function typesIn(content: Content = {}): string {
  return Object.values(content)
    .map(({ schema }) => typeOf(schema ?? {}))
    .join(", ");
}

function typeOf({ $ref, type, format, items, anyOf, oneOf, properties }: SchemaObject): string {
  if ($ref !== undefined) return `[${nameOf($ref)}](${FIELDS_PAGE}.md#${nameOf($ref).toLowerCase()})`;
  if (items) return `list of ${typeOf(items)}`;
  const ways = (anyOf ?? oneOf ?? []).filter((way) => way.$ref !== undefined || way.type !== undefined);
  if (ways.length > 0) return ways.map(typeOf).join(" or ");
  return `${type ?? (properties ? "object" : "any")}${format === undefined ? "" : ` (${format})`}`;
}

/** The further limits of a value. */
function limitsOf(schema: SchemaObject): string {
  const { minLength, maxLength, minItems, maxItems, examples = [] } = schema;
  const values = schema.enum ?? (schema.const === undefined ? [] : [schema.const]);
  const list = values.map((value) => code(String(value))).join(", ");
  return [
    maxLength === undefined ? "" : `${minLength ?? 0} to ${maxLength} characters`,
    maxItems === undefined ? "" : `${minItems ?? 0} to ${maxItems} entries`,
    examples.length === 0 ? "" : `For example ${code(JSON.stringify(examples[0]))}`,
    values.length === 0 ? "" : `${values.length > 1 ? "One of" : "Always"}: ${list}`,
  ]
    .filter(Boolean)
    .join(". ");
}

function code(text: string): string {
  return `\`${text}\``;
}

function block(mark: string, text: string): string {
  return `\`\`\`${mark}\n${text}\n\`\`\``;
}

/** A table, or nothing without rows. A cell is one line, and a bar in it is escaped. */
function table(head: string[], rows: string[][]): string {
  if (rows.length === 0) return "";
  const cellOf = (text: string) =>
    text
      .replaceAll("|", String.raw`\|`)
      .split("\n")
      .map((line) => line.trim())
      .join(" ");
  const lineOf = (cells: string[]) => `| ${cells.map(cellOf).join(" | ")} |`;
  return [lineOf(head), lineOf(head.map(() => "---")), ...rows.map(lineOf)].join("\n");
}

function joined(parts: string[]): string {
  return `${parts.filter(Boolean).join("\n\n")}\n`;
}
