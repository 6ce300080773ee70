import { once } from "node:events";
import { connect } from "node:net";
import { eventually } from "@holdfast/tests/support";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { preAuthorizationBody } from "../../test/builders.ts";
import { parseRaw, sendRaw, type HttpAnswer } from "../../test/http-client.ts";
import { expectProblem } from "../../test/problems.ts";
import { startTestRefunds } from "../../test/test-refunds.ts";
import { usePreAuthorization } from "../../test/use-pre-authorization.ts";

/**
 * Sends bytes to the listening gateway as a client, a broken proxy or an attacker would. Each request is
 * authenticated and valid except for one oddity: if the gateway accepted it, a command would be on the bus.
 */
const { on } = usePreAuthorization();

/** Subjects of everything on the bus that is not NATS's own. */
const onTheBus: string[] = [];
let head = "";
let refunds: Awaited<ReturnType<typeof startTestRefunds>>;

beforeAll(async () => {
  // Answers the gateway's reads of payments that `payments` does not know.
  refunds = await startTestRefunds(on.gateway.nats.url);
  const { nats } = on.payments.bus;
  nats.subscribe(">", {
    callback: (_error, { subject }) => {
      if (!/^(\$|_INBOX)/.test(subject)) onTheBus.push(subject);
    },
  });
  await nats.flush();
  const { apiKey, apiSecret } = on.merchant;
  head = `Host: localhost\r\nX-API-KEY: ${apiKey}\r\nX-API-SECRET: ${apiSecret}\r\n`;
});
beforeEach(() => {
  onTheBus.length = 0;
});
afterAll(async () => {
  await refunds.stop();
  expect(on.gateway.lines.filter(({ level }) => level === "error")).toEqual([]);
});

const BODY = preAuthorizationBody();
const CHUNKED_BODY = `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`;
const TYPE = "Content-Type: application/json\r\n";
const LENGTH = `Content-Length: ${BODY.length}\r\n`;
const CHUNKED = "Transfer-Encoding: chunked\r\n";
const ID = "0199aaaa-0000-7000-8000-000000000001";

/** A payment with these headers instead of its length, and this body. */
const post = (headers: string, body = BODY, line = "POST /api/pre-authorization HTTP/1.1") =>
  `${line}\r\n${head}${TYPE}${headers}\r\n${body}`;
const get = (headers = "", line = `GET /api/payment/${ID} HTTP/1.1`) => `${line}\r\n${head}${headers}\r\n`;

/** All answers that came over one connection until the server closed it. */
async function answersTo(...parts: string[]): Promise<HttpAnswer[]> {
  const text = await sendRaw(on.gateway.ports.merchant, ...parts);
  return text
    .split(/(?=HTTP\/1\.1 \d)/)
    .filter((answer) => answer !== "")
    .map(parseRaw);
}

/** Expects these subjects, after all that was sent to the bus until now has arrived. */
async function busHas(subjects: string[]): Promise<void> {
  await on.payments.bus.nats.flush();
  expect(onTheBus).toEqual(subjects);
}

describe("is refused, closes the connection, and nothing that was sent with it or behind it is carried out", () => {
  test.each<[string, () => string]>([
    ["a length beside chunks", () => post(LENGTH + CHUNKED, CHUNKED_BODY)],
    ["chunks beside a length", () => post(CHUNKED + LENGTH, CHUNKED_BODY)],
    ["two lengths", () => post(`${LENGTH}Content-Length: 0\r\n`)],
    ["the same length twice", () => post(LENGTH + LENGTH)],
    ["a list of lengths", () => post(`Content-Length: ${BODY.length}, ${BODY.length}\r\n`)],
    ["a signed length", () => post(`Content-Length: +${BODY.length}\r\n`)],
    ["a negative length", () => post("Content-Length: -1\r\n")],
    ["a length in hexadecimal", () => post(`Content-Length: 0x${BODY.length.toString(16)}\r\n`)],
    ["a length of 2^64 and some", () => post(`Content-Length: 18446744073709551617\r\n`)],
    ["no length behind the name", () => post("Content-Length:\r\n")],
    ["xchunked", () => post("Transfer-Encoding: xchunked\r\n", CHUNKED_BODY)],
    ["xchunked where no body is read", () => get("Transfer-Encoding: xchunked\r\n")],
    ["chunked, identity", () => post("Transfer-Encoding: chunked, identity\r\n", CHUNKED_BODY)],
    ["gzip, chunked", () => post("Transfer-Encoding: gzip, chunked\r\n", CHUNKED_BODY)],
    ["chunked twice in one header", () => post("Transfer-Encoding: chunked, chunked\r\n", CHUNKED_BODY)],
    ["chunked twice", () => post(CHUNKED + CHUNKED, CHUNKED_BODY)],
    ["chunked in quotes", () => post('Transfer-Encoding: "chunked"\r\n', CHUNKED_BODY)],
    [
      "chunked, hidden by a control character",
      () => post("Transfer-Encoding: \x0bchunked\r\n", CHUNKED_BODY),
    ],
    ["a space before the colon", () => post("Transfer-Encoding : chunked\r\n", CHUNKED_BODY)],
    ["a space before the name", () => post(` ${LENGTH}`)],
    ["a header without a colon", () => post(`${LENGTH}X-Nothing\r\n`)],
    ["a header without a name", () => post(`${LENGTH}: x\r\n`)],
    ["a bare line feed after the request line", () => get().replace("\r\n", "\n")],
    ["a bare line feed between headers", () => post(LENGTH.replace("\r\n", "\n"))],
    ["a bare line feed at the end of the headers", () => `${get().slice(0, -2)}\n`],
    ["a bare carriage return in a header", () => get("X-Name: a\rb\r\n")],
    ["a folded header", () => get("X-Name: a\r\n b\r\n")],
    ["a folded header with a tab", () => get("X-Name: a\r\n\tTransfer-Encoding: chunked\r\n")],
    ["a NUL in a header", () => get("X-Name: a\0b\r\n")],
    ["two hosts", () => get("Host: localhost\r\n")],
    ["two different hosts", () => get("Host: evil.test\r\n")],
    ["no host", () => get().replace("Host: localhost\r\n", "")],
    ["a host with a blank", () => get().replace("localhost", "local host")],
    ["a host with a path", () => get().replace("localhost", "localhost/api")],
    ["a host with a list", () => get().replace("localhost", "@evil.test")],
    ["chunks in HTTP/1.0", () => post(CHUNKED, CHUNKED_BODY, "POST /api/pre-authorization HTTP/1.0")],
    ["HTTP/0.9", () => get("", `GET /api/payment/${ID} HTTP/0.9`)],
    ["no version at all", () => get("", `GET /api/payment/${ID}`)],
    ["HTTP/1.2", () => get("", `GET /api/payment/${ID} HTTP/1.2`)],
    ["HTTP/2.0", () => get("", `GET /api/payment/${ID} HTTP/2.0`)],
    ["a method in small letters", () => get("", `get /api/payment/${ID} HTTP/1.1`)],
    ["a method nobody knows", () => get("", `BREW /api/payment/${ID} HTTP/1.1`)],
    ["a tunnel", () => get("", "CONNECT localhost:443 HTTP/1.1")],
    ["a host and port as the target", () => get("", "GET localhost:443 HTTP/1.1")],
    ["a path without its slash", () => get("", `GET api/payment/${ID} HTTP/1.1`)],
    ["a blank in the path", () => get("", `GET /api/payment/${ID} x HTTP/1.1`)],
    ["a NUL in the path", () => get("", `GET /api/payment/${ID}\0 HTTP/1.1`)],
    ["a chunk size that is none", () => post(CHUNKED, `zz\r\n${BODY}\r\n0\r\n\r\n`)],
    ["a negative chunk size", () => post(CHUNKED, `-2\r\n{}\r\n0\r\n\r\n`)],
    ["a chunk size with 0x", () => post(CHUNKED, `0x${CHUNKED_BODY}`)],
    ["a chunk size of more than 64 bits", () => post(CHUNKED, `10000000000000002\r\n{}\r\n0\r\n\r\n`)],
    ["no chunk size", () => post(CHUNKED, `\r\n${BODY}\r\n0\r\n\r\n`)],
    ["a chunk longer than its size", () => post(CHUNKED, CHUNKED_BODY.replace("}\r\n", "}x\r\n"))],
    ["a chunk size ended by a bare line feed", () => post(CHUNKED, CHUNKED_BODY.replace("\r\n", "\n"))],
    [
      "a chunk extension with a bare line feed",
      () => post(CHUNKED, CHUNKED_BODY.replace("\r\n", ";a\n\r\n")),
    ],
    [
      "chunk extensions without end",
      () => post(CHUNKED, CHUNKED_BODY.replace("\r\n", `;a=${"b".repeat(20_000)}\r\n`)),
    ],
    ["a chunk ended by a bare line feed", () => post(CHUNKED, CHUNKED_BODY.replace("}\r\n", "}\n"))],
    [
      "a length among the trailers",
      () => post(CHUNKED, CHUNKED_BODY.replace(/\r\n$/, "Content-Length: 3\r\n\r\n")),
    ],
    ["a folded trailer", () => post(CHUNKED, CHUNKED_BODY.replace(/\r\n$/, "X-Name: a\r\n b\r\n\r\n"))],
  ])("%s", async (_case, request) => {
    const [answer, ...others] = await answersTo(request() + get());
    expectProblem(answer!, "malformed_request");
    expect(answer!.headers["connection"]).toBe("close");
    expect(others).toEqual([]);
    await busHas([]);
  });

  test.each<[string, () => string]>([
    ["one header of 20 KB", () => get(`X-Name: ${"x".repeat(20_000)}\r\n`)],
    ["many headers of 20 KB together", () => get(`X-Name: ${"x".repeat(980)}\r\n`.repeat(20))],
    ["a path of 20 KB", () => get("", `GET /api/payment/${"x".repeat(20_000)} HTTP/1.1`)],
    ["98 headers beside its own", () => get("a:\r\n".repeat(98))],
    ["3 000 headers", () => get("a:\r\n".repeat(3_000))],
    ["a second key behind 3 000 headers", () => get(`${"a:\r\n".repeat(3_000)}X-API-KEY: x\r\n`)],
    [
      "trailers of 20 KB",
      () => post(CHUNKED, CHUNKED_BODY.replace(/\r\n$/, `X-Name: ${"x".repeat(20_000)}\r\n\r\n`)),
    ],
  ])("%s", async (_case, request) => {
    const [answer, ...others] = await answersTo(request() + get());
    expectProblem(answer!, "headers_too_large");
    expect(answer!.headers["connection"]).toBe("close");
    expect(others).toEqual([]);
    await busHas([]);
  });

  test("a bad request behind a good one: the good one is answered first, what is behind the bad one never", async () => {
    const [first, second, ...others] = await answersTo(get() + get("Host: localhost\r\n") + post(LENGTH));
    expect(first!.body["code"]).toBe("payment_not_found");
    expectProblem(second!, "malformed_request");
    expect(others).toEqual([]);
    expect(onTheBus).not.toContain("payments.pre-authorize");
  });

  test("what follows a request that said it was the last", async () => {
    const answers = await answersTo(get("Connection: close\r\n") + post(LENGTH));
    expect(answers.map(({ body }) => body["code"])).toEqual(["payment_not_found"]);
    expect(onTheBus).not.toContain("payments.pre-authorize");
  });
});

describe("is answered, and no command comes of it", () => {
  const CLOSE = "Connection: close\r\n";

  test.each<[string, "unauthorized" | "unsupported_media_type" | "validation_failed", () => string]>([
    ["the key twice", "unauthorized", () => post(`${CLOSE}${LENGTH}X-API-KEY: ${on.merchant.apiKey}\r\n`)],
    ["another key in other letters", "unauthorized", () => post(`${CLOSE}${LENGTH}x-api-key: hk_x\r\n`)],
    ["an empty second key", "unauthorized", () => post(`${CLOSE}${LENGTH}X-Api-Key:\r\n`)],
    [
      "the secret twice",
      "unauthorized",
      () => post(`${CLOSE}${LENGTH}X-API-SECRET: ${on.merchant.apiSecret}\r\n`),
    ],
    [
      "a second media type",
      "unsupported_media_type",
      () => post(`${CLOSE}${LENGTH}Content-Type: text/plain\r\n`),
    ],
    ["the media type twice", "unsupported_media_type", () => post(CLOSE + LENGTH + TYPE)],
    [
      "two Idempotency-Keys",
      "validation_failed",
      () => post(`${CLOSE}${LENGTH}${"Idempotency-Key: a\r\n".repeat(2)}`),
    ],
    [
      "a query that the route does not know",
      "validation_failed",
      () => post(CLOSE + LENGTH, BODY, "POST /api/pre-authorization?a=%00&__proto__=x HTTP/1.1"),
    ],
  ])("%s", async (_case, code, request) => {
    const [answer, ...others] = await answersTo(request());
    const { detail, errors } = answer!.body;
    expectProblem(answer!, code, {
      ...(detail !== undefined && { detail }),
      ...(errors !== undefined && { errors }),
    });
    expect(others).toEqual([]);
    await busHas([]);
  });

  test.each([
    "/api/refunds",
    `/api/payment/${ID}/`,
    `/api/Payment/${ID}`,
    `/api//payment/${ID}`,
    `//api/payment/${ID}`,
    `/api/../api/payment/${ID}`,
    `/api/%2e%2e/api/payment/${ID}`,
    `/%61pi/payment/${ID}`,
    `/api/payment%2f${ID}`,
    `/api\\payment\\${ID}`,
    `/api/payment;x/${ID}`,
    `/operator/merchants`,
    `/api/../operator/merchants`,
    "/",
    "*",
  ])("there is no route %s", async (path) => {
    const [answer] = await answersTo(get(CLOSE, `GET ${path} HTTP/1.1`));
    expectProblem(answer!, "route_not_found");
    await busHas([]);
  });

  test.each([
    "x",
    "%00",
    "%2e%2e",
    `${ID}%00`,
    `${ID}%20`,
    `%20${ID}`,
    "%2e%2e%2f",
    "a".repeat(12_000),
    `${ID}'--`,
    "%F0%9F%92%A9",
  ])("there is no payment %s", async (id) => {
    const [answer] = await answersTo(get(CLOSE, `GET /api/payment/${id} HTTP/1.1`));
    expectProblem(answer!, "payment_not_found");
    await busHas([]);
  });

  test("a client that goes away before the end of its body", async () => {
    for (const end of ["end", "resetAndDestroy"] as const) {
      const socket = connect(on.gateway.ports.merchant, "127.0.0.1");
      socket.on("error", () => {});
      socket.write(post(LENGTH, BODY.slice(0, -1)));
      await once(socket, "connect");
      socket.resume()[end]();
    }
    await eventually(() =>
      expect(
        on.gateway.requestLines().filter(({ outcome }) => outcome === "aborted" || outcome === undefined),
      ).toHaveLength(2),
    );
    await busHas([]);
  });

  test("a client that resets its tunnel right behind asking for it, and the gateway lives on", async () => {
    const socket = connect(on.gateway.ports.merchant, "127.0.0.1");
    socket.on("error", () => {});
    socket.write(get("", "CONNECT localhost:443 HTTP/1.1"));
    await once(socket, "data");
    socket.resetAndDestroy();
    const [answer] = await answersTo(get(CLOSE));
    expect(answer!.body["code"]).toBe("payment_not_found");
  });
});

describe("is odd and allowed: exactly one payment comes of it", () => {
  const CLOSE = "Connection: close\r\n";

  test.each<[string, () => string]>([
    ["HTTP/1.0", () => post(LENGTH, BODY, "POST /api/pre-authorization HTTP/1.0")],
    [
      "HTTP/1.0 without a host",
      () => post(LENGTH, BODY, "POST /api/pre-authorization HTTP/1.0").replace("Host: localhost\r\n", ""),
    ],
    [
      "a whole URL as the target",
      () => post(CLOSE + LENGTH, BODY, "POST http://elsewhere.test/api/pre-authorization HTTP/1.1"),
    ],
    ["an empty query", () => post(CLOSE + LENGTH, BODY, "POST /api/pre-authorization? HTTP/1.1")],
    ["an empty line before it", () => `\r\n${post(CLOSE + LENGTH)}`],
    ["an upgrade to WebSocket", () => post(`Connection: close, Upgrade\r\nUpgrade: websocket\r\n${LENGTH}`)],
    [
      "an upgrade to HTTP/2",
      () =>
        post(
          `Connection: close, Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n${LENGTH}`,
        ),
    ],
    ["chunks in other letters", () => post(`${CLOSE}Transfer-Encoding: Chunked\r\n`, CHUNKED_BODY)],
    ["a short chunk extension", () => post(CLOSE + CHUNKED, CHUNKED_BODY.replace("\r\n", ";a=b\r\n"))],
    [
      "a trailer, which is ignored",
      () => post(CLOSE + CHUNKED, CHUNKED_BODY.replace(/\r\n$/, "X-API-KEY: x\r\n\r\n")),
    ],
    [
      "one byte in each chunk",
      () =>
        post(
          CLOSE + CHUNKED,
          `${BODY.split("")
            .map((byte) => `1\r\n${byte}\r\n`)
            .join("")}0\r\n\r\n`,
        ),
    ],
    ["100 headers in all", () => post(`${CLOSE}${LENGTH}${"a:\r\n".repeat(94)}`)],
    ["the method in another header", () => post(`${CLOSE}${LENGTH}X-HTTP-Method-Override: DELETE\r\n`)],
  ])("%s", async (_case, request) => {
    const answers = await answersTo(request());
    expect(answers.map(({ status }) => status)).toEqual([201]);
    await busHas(["payments.pre-authorize"]);
  });

  test("requests sent without waiting are answered in order", async () => {
    const slow = Promise.withResolvers<void>();
    on.payments.answers.preAuthorize = async (message) => {
      await slow.promise;
      return await on.usual.preAuthorize(message);
    };
    const answers = answersTo(post(LENGTH) + get() + get(CLOSE, "GET /api/nowhere HTTP/1.1"));
    await eventually(() =>
      expect(on.payments.lookups.length + on.payments.received.length).toBeGreaterThan(1),
    );
    slow.resolve();
    const codes = (await answers).map(({ status, body }) => body["code"] ?? status);
    expect(codes).toEqual([201, "payment_not_found", "route_not_found"]);
  });

  test("a client that has gone when its payment is answered changes nothing about it", async () => {
    const slow = Promise.withResolvers<void>();
    on.payments.answers.preAuthorize = async (message) => {
      await slow.promise;
      return await on.usual.preAuthorize(message);
    };
    const socket = connect(on.gateway.ports.merchant, "127.0.0.1");
    socket.write(post(LENGTH));
    await eventually(() => expect(on.payments.received).toHaveLength(1));
    socket.resetAndDestroy();
    await eventually(() => expect(on.gateway.requestLines()).toMatchObject([{ outcome: "aborted" }]));
    slow.resolve();
    await busHas(["payments.pre-authorize"]);
  });
});

describe("a client that asks before it sends its body (Expect: 100-continue)", () => {
  const EXPECT = "Expect: 100-continue\r\n";

  test("is asked for it, once it is known who it is and that the body will be read", async () => {
    const answers = await answersTo(post(`${EXPECT}Connection: close\r\n${LENGTH}`));
    expect(answers.map(({ status }) => status)).toEqual([100, 201]);
  });

  test.each<[string, string, () => string]>([
    ["has no valid credentials", "unauthorized", () => post(`${EXPECT}${LENGTH}X-API-KEY: x\r\n`, "")],
    ["would send too much", "payload_too_large", () => post(`${EXPECT}Content-Length: 40000\r\n`, "")],
    ["sends another media type", "unsupported_media_type", () => post(EXPECT + LENGTH + TYPE, "")],
    [
      "wants a route that is not there",
      "route_not_found",
      () => post(EXPECT + LENGTH, "", "POST /api/x HTTP/1.1"),
    ],
  ])("is answered at once and the connection ends where it %s", async (_case, code, request) => {
    const answers = await answersTo(request() + post(LENGTH));
    expect(answers.map(({ body }) => body["code"])).toEqual([code]);
    expect(answers[0]!.headers["connection"]).toBe("close");
    await busHas([]);
  });
});
