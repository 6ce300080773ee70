import { EVENT_TYPES, WEBHOOK_TEST } from "@holdfast/contracts";
import { openApiJson } from "@holdfast/contracts/openapi";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { http } from "../../test/http-client.ts";
import { startTestGateway, type TestGateway } from "../../test/test-gateway.ts";
import { GUIDES, loadDocuments } from "./load-documents.ts";

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

const isPage = (path: string) => path.startsWith("/docs/") && !/\.[a-z]+$/.test(path);
const pages = [...loadDocuments().keys()].filter(isPage);
const idsIn = (text: string) => [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!);
/** The header that browsers send with an address that somebody types. */
const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

test.each(pages)("%s is read without a sign-in, and loads our style and our script alone", async (path) => {
  const { status, headers, text } = await gateway.merchantApi({ path });
  expect(status).toBe(200);
  expect(headers).toMatchObject({
    "content-type": "text/html; charset=utf-8",
    "content-security-policy":
      "default-src 'none'; script-src 'self'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cache-control": "public, no-cache",
  });
  expect(text.match(/<script[^]*?<\/script>/g)).toEqual(['<script src="docs.js" defer></script>']);
  expect(text).not.toMatch(/<img|<form| style=| on[a-z]+=/);
  expect(text).toMatch(/<main id="content">[^]*<h1/);
});

test("every address in every page leads to something that is served, and to a heading that is there", async () => {
  const documents = loadDocuments();
  const broken: string[] = [];
  for (const page of pages) {
    for (const [, href = ""] of documents.get(page)!.body.matchAll(/ href="([^"]+)"/g)) {
      const { origin, pathname, hash } = new URL(href, `https://gateway.example${page}`);
      if (origin !== "https://gateway.example") continue;
      const target = documents.get(pathname);
      const heads = target && (hash === "" || idsIn(target.body).includes(hash.slice(1)));
      if (!heads) broken.push(`${page}: ${href}`);
    }
  }
  expect(broken).toEqual([]);
});

test("an id stands once in a page", () => {
  for (const page of pages) {
    const ids = idsIn(loadDocuments().get(page)!.body);
    expect(ids, page).toEqual([...new Set(ids)]);
  }
});

test("whoever has a document is answered that it is unchanged, whatever a proxy made of its tag", async () => {
  const { headers } = await gateway.merchantApi({ path: "/docs/webhooks" });
  const etag = headers["etag"]!;
  for (const header of [etag, `W/${etag}`, `"other", ${etag}`]) {
    const again = await gateway.merchantApi({ path: "/docs/webhooks", headers: { "If-None-Match": header } });
    expect(again).toMatchObject({ status: 304, text: "", headers: { etag } });
  }
  const other = await gateway.merchantApi({
    path: "/docs/webhooks",
    headers: { "If-None-Match": '"other"' },
  });
  expect(other.status).toBe(200);
});

test("the API's description is served for programs, and its codes are the errors' table", async () => {
  const { status, headers, body } = await gateway.merchantApi({ path: "/openapi.json" });
  expect([status, headers["content-type"]]).toEqual([200, "application/json"]);
  const { text } = await gateway.merchantApi({ path: "/docs/errors" });
  const { schemas } = body["components"] as { schemas: { ProblemCode: { enum: string[] } } };
  const described = JSON.stringify(body["paths"]);
  const codes = schemas.ProblemCode.enum.filter((code) => described.includes(`\`${code}\`: `));
  expect(codes).toContain("outcome_unknown");
  for (const code of codes)
    expect(text).toContain(`<td role="cell" data-label="Code"><code>${code}</code></td>`);
  expect(text.match(/data-label="What to do">\s*<p>\w/g)).toHaveLength(codes.length);
  expect(text).not.toContain("<code>approver_limit_reached</code>");
});

test.each(["operator", "staff"] as const)(
  "the %s API serves its own description for programs, without a sign-in",
  async (listener) => {
    const read = (request: { method?: string; headers?: Record<string, string> }) =>
      http(gateway.ports[listener], { path: "/openapi.json", ...request });
    const { status, headers, text } = await read({});
    expect([status, headers["content-type"]]).toEqual([200, "application/json"]);
    expect(text).toBe(openApiJson(listener));
    expect((await read({ headers: { "If-None-Match": headers["etag"]! } })).status).toBe(304);
    expect(await read({ method: "POST" })).toMatchObject({ status: 405, headers: { allow: "GET, HEAD" } });
  },
);

test("the reference has every operation and every schema of the description", async () => {
  const { body } = await gateway.merchantApi({ path: "/openapi.json" });
  const reference = pages.filter((path) => path.startsWith("/docs/reference"));
  const text = reference.map((path) => loadDocuments().get(path)!.body).join("");
  const paths = Object.entries(body["paths"] as Record<string, object>);
  for (const [path, methods] of paths) {
    for (const method of Object.keys(methods)) {
      expect(text).toContain(`<code>${method.toUpperCase()} ${path}</code>`);
    }
  }
  const { schemas } = body["components"] as { schemas: object };
  for (const name of Object.keys(schemas)) expect(text).toContain(`>${name}</h2>`);
  // A page for each group, and the fields of a request under its operation.
  expect(reference).toHaveLength((body["tags"] as unknown[]).length + 2);
  const payments = loadDocuments().get("/docs/reference-payments")!.body;
  expect(payments).toMatch(/id="pay"[^]*data-label="Field"><code>orderId<\/code>, required/);
  // A 204 has no body to show.
  const answering = paths.flatMap(([, methods]) =>
    Object.values(methods as Record<string, { responses: object }>).filter(({ responses }) =>
      Object.keys(responses).some((status) => status.startsWith("2") && status !== "204"),
    ),
  );
  const webhooks = Object.keys(body["webhooks"] as object);
  const all = paths.flatMap(([, methods]) => Object.values(methods));
  const examples = answering.length + all.length + webhooks.length;
  expect(text.match(/<p class="quiet">(?:Request|Answer)<\/p>/g)).toHaveLength(examples);
  // Common answers stand once.
  expect(text.match(/<code>rate_limited<\/code>: /g)).toHaveLength(1);
  // A shop answers webhooks.
  expect(text).not.toMatch(/<p><code>Webhook (?:(?!<\/section>)[^])*those of every operation/);
  // Each operation is a request in curl and in PHP, and in TypeScript where the client has a method.
  expect(text.match(/<div class="language sh">/g)).toHaveLength(all.length);
  expect(text.match(/<div class="language php">/g)).toHaveLength(all.length);
  expect(text.match(/class="language ts">/g)).toHaveLength(all.length);
  // The page lists its operations beside the text.
  expect(payments).toMatch(/<nav[^]*<a href="#capture">Capture a payment<\/a>[^]*<\/nav>/);
  // A single value offers no choice.
  expect(text).toContain("<p>Always: <code>payment.captured</code> </p>");
  expect(text).not.toMatch(/One of: <code>[^<]*<\/code> <\/p>/);
});

test("each page is Markdown, too, and programs get a list of them", async () => {
  const { text } = await gateway.merchantApi({ path: "/docs/llms.txt" });
  const names = pages.map((path) => path.slice("/docs/".length)).filter(Boolean);
  const some = [...GUIDES, "reference", "reference-payments", "reference-fields"];
  expect(names).toEqual(expect.arrayContaining(some));
  for (const name of names) {
    expect(text).toContain(`](${name}.md)`);
    const guide = await gateway.merchantApi({ path: `/docs/${name}.md` });
    expect([guide.status, guide.headers["content-type"]]).toEqual([200, "text/markdown; charset=utf-8"]);
    expect(guide.text).toMatch(/^# /);
    expect(guide.text).not.toContain("<!-- the table");
  }
});

test("the reference as Markdown has each operation with its fields, its answers and its examples", async () => {
  const { text } = await gateway.merchantApi({ path: "/docs/reference-payments.md" });
  expect(text).toContain("\n## Capture a payment\n\n`POST /api/payment/{paymentId}/capture`\n");
  expect(text).toMatch(/^\| `orderId`, required \| string \| /m);
  expect(text).toMatch(/^\| `409` \| `idempotency_key_in_use`: /m);
  const blocks = [...text.matchAll(/^```(\w+) capture\n/gm)].map(([, language]) => language);
  expect(blocks).toEqual(["sh", "ts", "php"]);
});

test("the guide of webhooks names every event", async () => {
  const { text } = await gateway.merchantApi({ path: "/docs/webhooks" });
  for (const type of [...EVENT_TYPES, WEBHOOK_TEST]) expect(text).toContain(`<code>${type}</code>`);
});

test("nothing but reading is possible, and what is not there is a 404", async () => {
  expect(await gateway.merchantApi({ path: "/docs" })).toMatchObject({
    status: 308,
    headers: { location: "docs/" },
  });
  expect(await gateway.merchantApi({ method: "HEAD", path: "/docs/" })).toMatchObject({
    status: 200,
    text: "",
  });
  for (const path of ["/docs", "/docs/", "/openapi.json"]) {
    const answer = await gateway.merchantApi({ method: "POST", path });
    expect(answer).toMatchObject({ status: 405, headers: { allow: "GET, HEAD" } });
  }
  for (const path of ["/docs/nothing", "/docs/../package.json", "/docs/nothing.md"]) {
    expect((await gateway.merchantApi({ path })).status).toBe(404);
  }
  expect((await gateway.operatorApi({ path: "/docs/" })).status).toBe(404);
});

test("a browser at the address itself is led to the guides, and a program to nothing", async () => {
  const at = (accept: string, method = "GET") =>
    gateway.merchantApi({ method, path: "/", headers: { Accept: accept } });
  expect(await at(BROWSER)).toMatchObject({ status: 302, headers: { location: "docs/" } });
  for (const accept of ["*/*", "application/json", "text/html;q=0, */*"])
    expect(await at(accept)).toMatchObject({ status: 404, body: { code: "route_not_found" } });
  expect((await at(BROWSER, "POST")).status).toBe(404);
});

describe("with other settings", () => {
  test("the guides, the examples and the API's description name the installation's own address", async () => {
    const { merchant } = await gateway.startAnother({ MERCHANT_API_URL: "https://api.shop-bank.example/" });
    const read = async (path: string) => (await http(merchant, { path })).text;
    for (const path of ["/docs/getting-started", "/docs/test-mode.md"])
      expect(await read(path)).toContain("export GATEWAY=https://api.shop-bank.example\n");
    const reference = await read("/docs/reference-payments.md");
    expect(reference).toContain('curl -sS "https://api.shop-bank.example/api/payment" \\\n');
    expect(reference).toContain('  baseUrl: "https://api.shop-bank.example",\n');
    expect(reference).toContain("putenv('GATEWAY=https://api.shop-bank.example');\n");
    expect(await read("/openapi.json")).toContain('"default": "https://api.shop-bank.example"');
  });

  test("whoever reads too much loses the guides, and the API answers on", async () => {
    const { merchant } = await gateway.startAnother({ PAGE_REQUESTS_PER_MINUTE_PER_IP: "2" });
    const read = async () => await http(merchant, { path: "/docs/" });
    const statuses = [(await read()).status, (await read()).status];
    const third = await read();
    expect([...statuses, third.status]).toEqual([200, 200, 429]);
    expect(Number(third.headers["retry-after"])).toBeGreaterThan(0);
    const { headers } = await gateway.createMerchant();
    const path = "/api/payment/0199aaaa-0000-7000-8000-000000000001";
    // No payments service answers here: a 503 proves that the request is let in.
    expect((await http(merchant, { path, headers })).status).toBe(503);
  });

  test("DOCS=off serves none of it", async () => {
    const { merchant, operator, staff } = await gateway.startAnother({ DOCS: "off" });
    expect((await http(merchant, { path: "/", headers: { Accept: BROWSER } })).status).toBe(404);
    for (const path of ["/docs", "/docs/", "/openapi.json"]) {
      expect((await http(merchant, { path })).status).toBe(404);
    }
    for (const port of [operator, staff]) {
      expect((await http(port, { path: "/openapi.json" })).status).toBe(404);
    }
  });
});
