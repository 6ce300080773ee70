import * as fc from "fast-check";

/** The part of JSON Schema that the OpenAPI documents use. */
export type Schema = {
  $ref?: string;
  type?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  enum?: string[];
  pattern?: string;
  format?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  examples?: unknown[];
};

/** The JSON source text of a value in a body, which need not be valid JSON. */
export type Source = string;
export type Resolve = (schema: Schema) => Schema;

/** Values that a schema allows. Rules between fields, and Luhn's check, are not part of a schema. */
export function allowedBy(schema: Schema, resolve: Resolve): fc.Arbitrary<Source> {
  const { type, properties = {}, required = [], ...rest } = resolve(schema);
  if (type === "object") return objectOf(properties, required, (field) => allowedBy(field, resolve));
  const generated = scalarOf({ ...rest, ...(type !== undefined && { type }) }).map((value) =>
    JSON.stringify(value),
  );
  const examples = rest.examples?.map((example) => JSON.stringify(example)) ?? [];
  return examples.length === 0 ? generated : fc.oneof(fc.constantFrom(...examples), generated);
}

/** A body with some of its fields taken out, bent or doubled, or no object at all, or no JSON at all. */
export function bentFrom(schema: Schema, resolve: Resolve): fc.Arbitrary<Source> {
  const { properties = {} } = resolve(schema);
  const fields = fc.record(
    Object.fromEntries(
      Object.entries(properties).map(([name, field]) => [
        name,
        fc.oneof({ weight: 3, arbitrary: allowedBy(field, resolve) }, { weight: 1, arbitrary: ODD }),
      ]),
    ),
    { requiredKeys: [] },
  );
  const extra = fc.array(fc.tuple(ODD_NAME, ODD), { maxLength: 2 });
  const whole = fc.tuple(fields, extra).map(([some, more]) => objectText([...Object.entries(some), ...more]));
  return fc.oneof(
    { weight: 6, arbitrary: whole },
    { weight: 1, arbitrary: ODD },
    {
      weight: 1,
      arbitrary: fc.tuple(whole, fc.nat()).map(([text, at]) => text.slice(0, at % (text.length + 1))),
    },
    { weight: 1, arbitrary: fc.tuple(whole, fc.string({ maxLength: 4 })).map(([text, tail]) => text + tail) },
  );
}

function objectOf(
  properties: Record<string, Schema>,
  required: string[],
  valueOf: (field: Schema) => fc.Arbitrary<Source>,
): fc.Arbitrary<Source> {
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, field]) => [name, valueOf(field)]),
  );
  return fc.record(fields, { requiredKeys: required }).map((values) => objectText(Object.entries(values)));
}

function objectText(members: [string, Source | undefined][]): Source {
  const texts = members.flatMap(([name, source]) =>
    source === undefined ? [] : `${JSON.stringify(name)}: ${source}`,
  );
  return `{${texts.join(", ")}}`;
}

function scalarOf(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.type === "integer") {
    return fc.integer({ min: schema.minimum ?? 0, max: schema.maximum ?? 1_000_000 });
  }
  if (schema.type === "number") return fc.integer({ min: 1, max: 200_000 }).map((minor) => minor / 100);
  if (schema.format === "uuid") return fc.uuid();
  if (schema.format === "date-time") return DATE_TIME;
  const pattern = schema.pattern === undefined ? undefined : new RegExp(schema.pattern);
  if (pattern !== undefined && schema.minLength === undefined) return fc.stringMatching(pattern);
  const text = fc.string({
    unit: "grapheme",
    minLength: schema.minLength ?? 0,
    maxLength: Math.min(schema.maxLength ?? 100, 100),
  });
  return pattern === undefined ? text : text.filter((value) => pattern.test(value));
}

const DATE_TIME = fc
  .date({ min: new Date("2020-01-01"), max: new Date("2040-01-01"), noInvalidDate: true })
  .map((date) => date.toISOString());

/** Values that have broken parsers, number conversions, encodings and databases before. */
const ODD: fc.Arbitrary<Source> = fc.oneof(
  fc.json({ maxDepth: 3 }),
  fc.string({ unit: "binary", maxLength: 80 }).map((text) => JSON.stringify(text)),
  fc.constantFrom(
    "null",
    "true",
    "[]",
    "{}",
    '""',
    "0",
    "-0",
    "-1",
    "1e400",
    "1e-400",
    "1E2",
    "0.1e1",
    "NaN",
    "Infinity",
    "999999999.99",
    "1000000000",
    "9007199254740993",
    "0.001",
    "4.35",
    "01",
    "1.",
    ".5",
    "+1",
    "0x10",
    '"12.50"',
    '"\\u0000"',
    '"\\ud800"',
    '"a\\u202eb"',
    '"\\ufeff"',
    '"ﷺ"',
    '"👩‍👩‍👧"',
    '"\\r\\n{}"',
    "'single'",
    '"\u0001"',
    '"=1+1"',
    '"\'; drop table payment; --"',
    '"%00"',
    '"../../etc/passwd"',
    '"${x}"',
    '"<script>"',
    '{"__proto__": {}}',
    '{"constructor": {"prototype": {}}}',
    '"__proto__"',
    "[[[[[[[[[[]]]]]]]]]]",
    `"${"x".repeat(300)}"`,
    `"${"a\u0301".repeat(200)}"`,
    "9".repeat(400),
    `${"[".repeat(500)}${"]".repeat(500)}`,
  ),
);

const ODD_NAME = fc.oneof(
  fc.constantFrom(
    "__proto__",
    "constructor",
    "prototype",
    "amount",
    "status",
    "merchantId",
    "paymentId",
    "",
    "\0",
  ),
  fc.string({ unit: "binary", maxLength: 20 }),
);
