import * as fc from "fast-check";
import type { ApiDocument, Operation } from "./api-document.ts";
import { allowedBy, bentFrom, type Schema, type Source } from "./schema-values.ts";

/** Ids that exist in the system under test, so that some requests are about something. */
export type Known = Record<string, readonly string[]>;

/** A request as it goes over the wire, with the answers that the document lists for it. */
export type FuzzRequest = {
  listener: "merchant" | "operator" | "staff" | "public";
  bytes: Buffer;
  answers: Operation["answers"];
  kind: "from the document" | "byte noise";
};

export type Credentials = { merchant: string; operator: string; staff: string };

/** Requests of the document's operations, valid and bent. */
export function documentRequests(
  { operations, resolve }: ApiDocument,
  known: Known,
  credentials: Credentials,
): fc.Arbitrary<FuzzRequest> {
  return fc.oneof(
    ...operations.map((operation) => {
      const body = operation.body && bodyOf(operation.body, resolve);
      return fc
        .tuple(targetOf(operation, known, resolve), body ?? fc.constant(undefined), HEADERS)
        .map(([target, text, headers]) => requestOf(operation, { target, text, headers }, credentials));
    }),
  );

  function bodyOf(schema: Schema, resolveRef: ApiDocument["resolve"]): fc.Arbitrary<Source> {
    return fc.oneof(
      { weight: 2, arbitrary: allowedBy(plausible(schema, resolveRef), resolveRef) },
      { weight: 1, arbitrary: allowedBy(schema, resolveRef) },
      { weight: 2, arbitrary: bentFrom(plausible(schema, resolveRef), resolveRef) },
    );
  }
}

/** Requests with bytes changed, removed, added, doubled or cut off; now and then random bytes alone. */
export function noiseRequests(requests: fc.Arbitrary<FuzzRequest>): fc.Arbitrary<FuzzRequest> {
  const edited = fc
    .tuple(requests, fc.array(EDIT, { minLength: 1, maxLength: 6 }))
    .map(([request, edits]) => ({
      ...request,
      bytes: edits.reduce((bytes, edit) => edit(bytes), request.bytes),
      kind: "byte noise" as const,
    }));
  const random = fc
    .tuple(requests, fc.uint8Array({ minLength: 1, maxLength: 400 }))
    .map(([request, bytes]) => ({
      ...request,
      bytes: Buffer.from(bytes),
      kind: "byte noise" as const,
    }));
  return fc.oneof({ weight: 9, arbitrary: edited }, { weight: 1, arbitrary: random });
}

type Edit = (bytes: Buffer) => Buffer;

const EDIT: fc.Arbitrary<Edit> = fc
  .tuple(
    fc.constantFrom("set", "insert", "remove", "double", "cut"),
    fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    fc.oneof(fc.integer({ min: 0, max: 255 }), fc.constantFrom(...Buffer.from('\r\n\0 \t:,;/%?#{}"\\'))),
    fc.integer({ min: 1, max: 16 }),
  )
  .map(([kind, where, byte, length]): Edit => (bytes) => {
    const at = Math.floor(where * bytes.length);
    const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)];
    switch (kind) {
      case "set":
        return Buffer.concat([before, Buffer.of(byte), after.subarray(1)]);
      case "insert":
        return Buffer.concat([before, Buffer.of(byte), after]);
      case "remove":
        return Buffer.concat([before, after.subarray(length)]);
      case "double":
        return Buffer.concat([before, after.subarray(0, length), after]);
      default:
        return before;
    }
  });

/** Adds facts that the schema cannot say, so that some requests go all the way: a card that approves, a future year. */
function plausible(schema: Schema, resolve: ApiDocument["resolve"]): Schema {
  const { properties, ...rest } = resolve(schema);
  if (!properties) return resolve(schema);
  const year = new Date().getUTCFullYear() % 100;
  const likely: Record<string, Schema> = {
    pan: {
      type: "string",
      enum: ["4111111111111111", "5555555555554444", "4000000000000002", "9792000000000003"],
    },
    expiryYear: { type: "string", enum: [String(year + 2), String(year + 9)] },
    cvv: { type: "string", enum: ["123", "000"] },
    currency: { type: "string", enum: ["TRY", "USD"] },
    requestIp: { type: "string", enum: ["203.0.113.7", "2001:db8::1"] },
    url: { type: "string", enum: ["https://127.0.0.1:9/hook", "https://shop.invalid/hook"] },
  };
  const replaced = Object.entries(properties).map(([name, field]) => [name, likely[name] ?? field]);
  return { ...rest, properties: Object.fromEntries(replaced) as Record<string, Schema> };
}

const HEADERS: fc.Arbitrary<string[]> = fc.oneof(
  { weight: 6, arbitrary: fc.constant<string[]>([]) },
  {
    weight: 2,
    arbitrary: fc.subarray([
      "Idempotency-Key: one",
      'Idempotency-Key: "two"',
      "Idempotency-Key: \x7f",
      `Idempotency-Key: ${"k".repeat(256)}`,
      "traceparent: 00-zz-zz-00",
      "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
      "X-Forwarded-For: unknown, 203.0.113.9",
      "X-Request-Id: \u00ff",
      "Accept: text/csv",
      "Range: bytes=0-1",
      "If-None-Match: *",
      "Accept-Encoding: gzip",
      "Content-Encoding: gzip",
      "Expect: 100-continue",
      "Connection: Upgrade",
      "Upgrade: h2c",
    ]),
  },
  {
    weight: 1,
    arbitrary: fc.string({ maxLength: 30 }).map((text) => [`X-Noise: ${text.replaceAll(/[^ -~]/g, "")}`]),
  },
);

function targetOf(operation: Operation, known: Known, resolve: ApiDocument["resolve"]): fc.Arbitrary<string> {
  const parameters = fc.tuple(
    ...operation.pathParameters.map((name) =>
      fc.oneof(
        { weight: 4, arbitrary: fc.constantFrom(...(known[name] ?? ["none"])) },
        { weight: 1, arbitrary: fc.uuid() },
        {
          weight: 1,
          arbitrary: fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 }).map(encodeURIComponent),
        },
      ),
    ),
  );
  const query = fc.record(
    Object.fromEntries(
      Object.entries(operation.query).map(([name, schema]) => [
        name,
        fc.oneof(
          allowedBy(schema, resolve).map((source) => String(JSON.parse(source))),
          fc.string({ unit: "grapheme", maxLength: 40 }),
        ),
      ]),
    ),
    { requiredKeys: [] },
  );
  return fc.tuple(parameters, query).map(([values, pairs]) => {
    let index = 0;
    const path = operation.path.replaceAll(/\{\w+\}/g, () => values[index++] ?? "");
    const search = new URLSearchParams(pairs as Record<string, string>).toString();
    return search === "" ? path : `${path}?${search}`;
  });
}

function requestOf(
  { method, path, answers }: Operation,
  { target, text, headers }: { target: string; text: Source | undefined; headers: string[] },
  credentials: Credentials,
): FuzzRequest {
  const listener = path.startsWith("/operator/")
    ? "operator"
    : path.startsWith("/staff/")
      ? "staff"
      : "merchant";
  // A lone surrogate has no UTF-8; it becomes the bytes it would have, which are not well-formed.
  const body = Buffer.from(text ?? "", "utf8");
  const lines = [
    `${method} ${target} HTTP/1.1`,
    "Host: localhost",
    credentials[listener],
    ...(text === undefined ? [] : ["Content-Type: application/json"]),
    `Content-Length: ${body.length}`,
    ...headers,
  ];
  const head = Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
  return { listener, bytes: Buffer.concat([head, body]), answers, kind: "from the document" };
}
