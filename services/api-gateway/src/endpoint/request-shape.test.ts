import { ENDPOINTS, FIELD_CODES, type Endpoint, type FieldFault } from "@holdfast/contracts";
import { REQUEST_EXAMPLES } from "@holdfast/contracts/openapi-examples";
import { describe, expect, test } from "vitest";
import { Refusal } from "../http/refusal.ts";
import { parseJson } from "./parse-json.ts";
import { parseRequest } from "./parse-request.ts";
import type { UnknownNames } from "./request-shape.ts";

/** A body for every endpoint that has one, with each object that it may contain: the documents' examples. */
const BODIES = REQUEST_EXAMPLES;

type Path = (string | number)[];

/** The paths of the objects in a body, the body itself first. */
function objectsIn(value: unknown, path: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [];
  const inside = Object.entries(value).flatMap(([name, field]) => objectsIn(field, [...path, name]));
  return Array.isArray(value) ? inside : [path, ...inside];
}

function replaced(body: unknown, path: Path, by: (here: unknown) => unknown): unknown {
  if (path.length === 0) return by(body);
  const [name, ...rest] = path as [string, ...Path];
  if (Array.isArray(body))
    return body.map((item, at) => (String(at) === name ? replaced(item, rest, by) : item));
  const fields = body as Record<string, unknown>;
  return { ...fields, [name]: replaced(fields[name], rest, by) };
}

/** Parses a request as the router does. */
function parse({ listener, request }: Endpoint, body: unknown) {
  const unknown: UnknownNames | undefined = listener !== "merchant" ? "unknown_field" : undefined;
  return parseRequest(request!, parseJson(Buffer.from(JSON.stringify(body))), { unknown });
}

function faultsOf(parsed: unknown): string[] {
  if (!(parsed instanceof Refusal)) return [];
  const errors = (parsed.extra?.members?.errors ?? []) as FieldFault[];
  return errors.map(({ field, code }) => `${field} ${code}`);
}

const withBody = ENDPOINTS.filter(({ request }) => request !== undefined);
const places = withBody.flatMap((endpoint) => {
  const { operationId } = endpoint;
  const body = BODIES[operationId] ?? {};
  return objectsIn(body).map((path) => ({ operationId, at: path.join(".") || "body", path, body, endpoint }));
});

test("every endpoint with a body has an example here, which it takes", () => {
  expect(withBody.map(({ operationId }) => operationId).toSorted()).toEqual(Object.keys(BODIES).toSorted());
  for (const endpoint of withBody) {
    expect.soft(faultsOf(parse(endpoint, BODIES[endpoint.operationId])), endpoint.operationId).toEqual([]);
  }
});

/** `null` removes a merchant's plan, rules or look, and is an object nowhere else. */
const MAY_BE_NULL = new Set(["changeMerchant commission", "changeMerchant rules", "changeMerchant branding"]);

/** Documents whose names are another schema's: the protocol's of an account. */
const OPEN = /^((create|change)AcquirerAccount (settings|secrets)|probeAcquirerAccount proposal\.secrets)$/;

describe.each(places)(
  "$operationId: in the place of the object $at",
  ({ operationId, at, path, body, endpoint }) => {
    test.each([0, 1.5, -1, "", "{}", [], [{}], true, false, null])("%j is refused", (other) => {
      if (other === null && MAY_BE_NULL.has(`${operationId} ${at}`)) return;
      const parsed = parse(
        endpoint,
        replaced(body, path, () => other),
      );
      expect(faultsOf(parsed)).toEqual([`${at} invalid_type`]);
    });

    test("another one with a field that nobody knows is refused by the operator API alone", () => {
      const parsed = parse(
        endpoint,
        replaced(body, path, (here) => ({ ...(here as object), blockedBins: 1 })),
      );
      const field = at === "body" ? "blockedBins" : `${at}.blockedBins`;
      const isClosed = endpoint.listener !== "merchant" && !OPEN.test(`${operationId} ${at}`);
      expect(faultsOf(parsed)).toEqual(isClosed ? [`${field} unknown_field`] : []);
    });

    test.each(["__proto__", "constructor", "prototype"])(
      "and one with the name %s is refused by both",
      (name) => {
        const marked = JSON.stringify(replaced(body, path, (here) => ({ ...(here as object), marked: {} })));
        const parsed = parseJson(Buffer.from(marked.replace('"marked"', `"${name}"`)));
        expect(faultsOf(parsed)).toEqual([`${name} forbidden_key`]);
      },
    );
  },
);

describe("what is wrong with a field is said in our words and by a code of the list, never the library's", () => {
  const OTHERS = [0, 1.5, -1, 1e12, "", "x", "x".repeat(3_000), [], [{}], [7], {}, true, null];
  const OTHER_QUERIES = ["", "x", "0", "x".repeat(3_000), "2026-13-01T00:00:00Z"];

  test.each(withBody)("$operationId: its body", (endpoint) => {
    const body = BODIES[endpoint.operationId];
    for (const path of placesIn(body)) {
      for (const other of path.length === 0 ? OTHERS : [...OTHERS, undefined]) {
        expectOurWords(
          parse(
            endpoint,
            replaced(body, path, () => other),
          ),
        );
      }
    }
  });

  const parameters = ENDPOINTS.flatMap(({ operationId, pathParameters, queryParameters }) =>
    [pathParameters, queryParameters].flatMap((schema) => (schema ? [{ operationId, schema }] : [])),
  );
  test.each(parameters)("$operationId: its parameters", ({ schema }) => {
    for (const name of Object.keys(schema.shape)) {
      for (const other of OTHER_QUERIES) expectOurWords(parseRequest(schema, { [name]: other }));
    }
  });

  /** Each place in a body, its fields' and its entries' too. */
  function placesIn(value: unknown, path: Path = []): Path[] {
    if (typeof value !== "object" || value === null) return [path];
    return [path, ...Object.entries(value).flatMap(([name, inner]) => placesIn(inner, [...path, name]))];
  }

  function expectOurWords(parsed: unknown): void {
    if (!(parsed instanceof Refusal)) return;
    for (const { field, code, message } of (parsed.extra?.members?.errors ?? []) as FieldFault[]) {
      expect(FIELD_CODES, `${field}: ${message}`).toContain(code);
      expect.soft(`${field}: ${message}`).toMatch(/: (must|is|has|needs|already|never|the) /);
      expect.soft(`${field}: ${message}`).not.toMatch(/of another type|written otherwise|is not valid$/);
      expect(message.length, `${field}: ${message}`).toBeLessThan(400);
    }
  }
});

describe("a name that nobody knows", () => {
  const change = ENDPOINTS.find(({ operationId }) => operationId === "changeMerchant")!;
  const messagesOf = (body: object) => {
    const parsed = parse(change, body);
    const errors = parsed instanceof Refusal ? parsed.extra?.members?.errors : [];
    return (errors as FieldFault[]).map(({ field, message }) => `${field} ${message}`);
  };

  test("is told with the one that was probably meant, or with those that are known", () => {
    expect(messagesOf({ rules: { largestAmount: [] } })).toEqual([
      "rules.largestAmount is not known here; did you mean largestAmounts?",
    ]);
    expect(messagesOf({ name: "A shop", rules: { blockedBins: [] } })).toEqual([
      "rules.blockedBins is not known here; known are largestAmounts, attemptsPerCard, attemptsPerIp, declineRate",
    ]);
  });

  test("is not repeated where it is no name, or could be a card number", () => {
    const bodies = [
      { "4111 1111 1111 1111": 1 },
      { pan4111111111111111: 1 },
      { "<script>": 1 },
      { [`a${"b".repeat(99)}`]: 1 },
    ];
    for (const body of bodies) {
      const [fault = ""] = messagesOf({ name: "A shop", ...body });
      expect(fault).toMatch(/^… is not known here; known are/);
    }
  });

  test("is told twenty times and no more, however many there are", () => {
    const many = Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`x${index}`, 1]));
    expect(messagesOf({ name: "A shop", ...many })).toHaveLength(20);
  });
});
