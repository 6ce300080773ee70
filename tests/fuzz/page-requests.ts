import * as fc from "fast-check";
import type { FuzzRequest } from "./requests.ts";

/** An open checkout, with the fields of its form. */
export type KnownPage = { checkoutId: string; paymentId: string; token: string };

/** A foreign host in every place of a request from which it might get into an answer's header. */
export const PLANTED = "evil.example";

/** Requests of the public pages: their paths, and changes of them for being sent elsewhere. */
export function pageRequests({ checkoutId, paymentId, token }: KnownPage): fc.Arbitrary<FuzzRequest> {
  const id = fc.oneof(
    { weight: 3, arbitrary: fc.constant(checkoutId) },
    fc.uuid(),
    fc.constant(checkoutId.toUpperCase()),
    HOSTILE,
  );
  const checkout = fc
    .tuple(id, fc.constantFrom("", "", "/state", "/card", "/pay", "/cancel", "/", "/nowhere"))
    .map(([text, rest]) => `/checkout/${text}${rest}`);
  const threeDs = fc
    .tuple(fc.constantFrom("return", "challenge"), fc.oneof({ weight: 3, arbitrary: HOSTILE }, STATE))
    .map(([page, state]) => `/3ds/${page}/${state}`);
  const query = fc.oneof(
    { weight: 2, arbitrary: fc.constant("") },
    fc
      .tuple(fc.constantFrom("lang", "faults", "session", "url"), HOSTILE)
      .map(([name, text]) => `?${name}=${text}`),
  );
  const body = bodyOf({ paymentId, token });
  return fc
    .tuple(
      fc.constantFrom("GET", "GET", "POST", "POST", "PUT", "OPTIONS", "DELETE"),
      fc.oneof(
        checkout,
        threeDs,
        fc.constantFrom("/", "/checkout", "/3ds", "/api/payment", "//evil.example/"),
      ),
      query,
      body,
      fc.oneof({ weight: 4, arbitrary: fc.constant(FORM) }, fc.constantFrom(...MEDIA_TYPES)),
      fc.subarray(HEADERS, { maxLength: 3 }),
    )
    .map(([method, path, search, text, mediaType, headers]) =>
      requestOf({ method, target: `${path}${search}`, text, mediaType, headers }),
    );
}

/** A filled-in form, or no form at all. */
function bodyOf({ paymentId, token }: Pick<KnownPage, "paymentId" | "token">): fc.Arbitrary<string> {
  const form = fc.record(
    {
      paymentId: fc.oneof(fc.constant(paymentId), fc.uuid(), HOSTILE),
      token: fc.oneof(fc.constant(token), HOSTILE),
      bin: fc.oneof(fc.constant("41111111"), HOSTILE),
      pan: fc.constantFrom("4111 1111 1111 1111", "4111111111111112", "", "x"),
      cardHolderName: fc.oneof(fc.constant("Ada"), HOSTILE),
      expiry: fc.constantFrom("12/30", "13/30", "00/00", "%"),
      cvv: fc.constantFrom("123", "", "\0"),
      installmentCount: fc.constantFrom("1", "-1", "1e9", "x"),
      session: HOSTILE,
    },
    { requiredKeys: [] },
  );
  return fc.oneof(
    { weight: 4, arbitrary: form.map((fields) => new URLSearchParams(fields).toString()) },
    fc.constant("a".repeat(33_000)),
    fc.string({ unit: "binary", maxLength: 200 }),
  );
}

type Parts = { method: string; target: string; text: string; mediaType: string; headers: string[] };

function requestOf({ method, target, text, mediaType, headers }: Parts): FuzzRequest {
  const content = method === "POST" ? Buffer.from(text, "latin1") : Buffer.alloc(0);
  const lines = [
    `${method} ${target} HTTP/1.1`,
    "Host: localhost",
    ...(method === "POST" ? [`Content-Type: ${mediaType}`] : []),
    `Content-Length: ${content.length}`,
    ...headers,
  ];
  const head = Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
  const bytes = Buffer.concat([head, content]);
  return { listener: "public", bytes, answers: new Map(), kind: "from the document" };
}

/** Percent-encoded, as a path or a query has it. */
const HOSTILE: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    "https%3A%2F%2Fevil.example%2Fpay%3Fa%3D1",
    "%2F%2Fevil.example",
    "javascript%3Aalert(evil.example)",
    "x%0d%0aX-Planted:%20evil.example",
    "%0d%0a%0d%0a<script>evil.example</script>",
    "%E2%80%AE%F0%9F%92%B3evil.example",
    "%00evil.example",
    "%",
    "%ff%fe",
    "%c0%ae%c0%ae%2f",
    "..%2f..%2fevil.example",
    "a".repeat(3_000),
    "__proto__",
  ),
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 }).map(encodeURIComponent),
);

/** A state of the right form with a false signature. */
const STATE = fc
  .tuple(
    fc.constantFrom("k1", "constructor"),
    fc.stringMatching(/^[\w-]{51}$/),
    fc.stringMatching(/^[\w-]{43}$/),
  )
  .map((parts) => parts.join("."));

const FORM = "application/x-www-form-urlencoded";
const MEDIA_TYPES = [
  "text/plain",
  "application/json",
  "multipart/form-data; boundary=x",
  "\u00ff",
  `${FORM}; charset=utf-16`,
];

const HEADERS = [
  "Accept: application/json",
  "Accept: text/html",
  "Accept-Language: tr-TR,en;q=0.5",
  "Accept-Language: x-evil.example",
  "Accept-Language: \u00ff\u00fe",
  "X-Forwarded-Host: evil.example",
  "X-Forwarded-Proto: javascript",
  "Forwarded: host=evil.example",
  "Origin: https://evil.example",
  "Referer: https://evil.example/",
  "Sec-Fetch-Site: cross-site",
  "Sec-Fetch-Site: same-origin",
  "Content-Encoding: gzip",
  "Cookie: evil.example",
  "traceparent: 00-zz-zz-00",
];
