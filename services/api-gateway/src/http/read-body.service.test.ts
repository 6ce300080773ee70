import { describe, expect, test } from "vitest";
import { preAuthorizationBody } from "../../test/builders.ts";
import { expectProblem } from "../../test/problems.ts";
import { JSON_TYPE } from "../../test/test-gateway.ts";
import { usePreAuthorization } from "../../test/use-pre-authorization.ts";

const { on, send, preAuthorize } = usePreAuthorization();

test.each([
  ["application/json; charset=utf8"],
  ["application/json;charset=utf-8;"],
  ["application/json; version=1"],
  ["text/plain"],
])("the answer to a body of %s says what to send", async (type) => {
  const answer = await send(preAuthorizationBody(), { "content-type": type });
  expectProblem(answer, "unsupported_media_type", {
    detail:
      "Send Content-Type: application/json once, with no parameter but charset=utf-8, and no Content-Encoding.",
  });
});

test("the answer to a body that begins with a byte order mark says so", async () => {
  const answer = await send(`\uFEFF${preAuthorizationBody()}`, JSON_TYPE);
  expectProblem(answer, "malformed_json", {
    detail: "The body begins with a byte order mark (U+FEFF). Send JSON without one.",
  });
});

describe("a body that is refused reaches nobody", () => {
  test.each([
    ["no media type", "{}", {}, "unsupported_media_type"],
    ["text", preAuthorizationBody(), { "content-type": "text/plain" }, "unsupported_media_type"],
    ["a form", "a=b", { "content-type": "application/x-www-form-urlencoded" }, "unsupported_media_type"],
    [
      "almost JSON",
      preAuthorizationBody(),
      { "content-type": "application/jsonp" },
      "unsupported_media_type",
    ],
    [
      "JSON of a kind",
      preAuthorizationBody(),
      { "content-type": "application/ld+json" },
      "unsupported_media_type",
    ],
    [
      "another character set",
      preAuthorizationBody(),
      { "content-type": "application/json; charset=utf-16" },
      "unsupported_media_type",
    ],
    [
      "two media types",
      preAuthorizationBody(),
      { "content-type": ["application/json", "text/plain"] },
      "unsupported_media_type",
    ],
    [
      "a compressed body",
      Buffer.from("1f8b", "hex"),
      { ...JSON_TYPE, "content-encoding": "gzip" },
      "unsupported_media_type",
    ],
    ["an empty body", "", JSON_TYPE, "malformed_json"],
    ["broken JSON", "{", JSON_TYPE, "malformed_json"],
    [
      "a doubled amount",
      preAuthorizationBody().replace("}", ', "amount": 1000}'),
      JSON_TYPE,
      "malformed_json",
    ],
    ["01.00", preAuthorizationBody({ amount: "01.00" }), JSON_TYPE, "malformed_json"],
    [
      "invalid UTF-8",
      Buffer.from(preAuthorizationBody({ orderId: '"é"' }), "latin1"),
      JSON_TYPE,
      "malformed_json",
    ],
    ["deep nesting", `${"[".repeat(16_000)}${"]".repeat(16_000)}`, JSON_TYPE, "malformed_json"],
    [
      "__proto__",
      preAuthorizationBody({ __proto__x: "1" }).replace("__proto__x", "__proto__"),
      JSON_TYPE,
      "validation_failed",
    ],
    ["an empty object", "{}", JSON_TYPE, "validation_failed"],
    ["one byte too many", preAuthorizationBody().padEnd(32 * 1024 + 1), JSON_TYPE, "payload_too_large"],
    [
      "one byte too many in chunks",
      preAuthorizationBody().padEnd(32 * 1024 + 1),
      { ...JSON_TYPE, "transfer-encoding": "chunked" },
      "payload_too_large",
    ],
  ] as const)("%s", async (_case, body, headers, code) => {
    const answer = await send(body, headers as Record<string, string | string[]>);
    const { detail, errors } = answer.body;
    expectProblem(answer, code, {
      ...(detail !== undefined && { detail }),
      ...(errors !== undefined && { errors }),
    });
    expect(on.payments.received).toEqual([]);
  });

  test.each([
    ["with a character set", { "content-type": "application/json; charset=utf-8" }],
    ["in other letters", { "content-type": 'Application/JSON;charset="UTF-8"' }],
    ["not compressed by its own word", { ...JSON_TYPE, "content-encoding": "identity" }],
    ["in chunks", { ...JSON_TYPE, "transfer-encoding": "chunked" }],
  ])("but one %s is taken", async (_case, headers: Record<string, string>) => {
    expect((await send(preAuthorizationBody(), headers)).status).toBe(201);
  });

  test("but one of exactly 32 KiB is taken", async () => {
    expect((await send(preAuthorizationBody().padEnd(32 * 1024), JSON_TYPE)).status).toBe(201);
  });

  test("of a declared length that is too large, before any of it has arrived", async () => {
    const headers = { ...JSON_TYPE, "content-length": "40000", connection: "close" };
    const answer = on.gateway.merchantApi({
      method: "POST",
      path: "/api/pre-authorization",
      headers: { ...on.merchant.headers, ...headers },
      withoutBody: true,
    });
    expectProblem(await answer, "payload_too_large");
  });

  test("with every fault at once", async () => {
    const answer = await preAuthorize({
      amount: "0",
      currency: '"XXX"',
      cvv: undefined,
      cardHolderName: '"A\\r\\n{\\"level\\":50}"',
    });
    expectProblem(answer, "validation_failed", {
      errors: [
        { field: "amount", code: "must_be_positive", message: "must be more than 0" },
        { field: "currency", code: "invalid_currency", message: "must be an ISO 4217 code in upper case" },
        {
          field: "cardHolderName",
          code: "invalid_characters",
          message: "must be well-formed Unicode without control characters",
        },
        { field: "cvv", code: "required", message: "is required" },
      ],
    });
    expect(on.payments.received).toEqual([]);
  });
});
