import { spawn } from "node:child_process";
import { once } from "node:events";
import { startRawServer } from "@holdfast/tests/support";
import { expect, onTestFinished, test } from "vitest";
import { proxyEnvironment } from "./proxy-environment.ts";

test("without Node's switch no proxy is used", () => {
  expect(proxyEnvironment({ HTTP_PROXY: "http://proxy.example" })).toBeUndefined();
});

test.each([
  [{}, /^localhost,/],
  [{ NO_PROXY: "a.example" }, /^a\.example,localhost,/],
  [{ NO_PROXY: "a.example", no_proxy: "b.example" }, /^b\.example,localhost,/],
])("the names that the environment excepts stay excepted: %j", (env, excepted) => {
  const proxies = proxyEnvironment({ NODE_USE_ENV_PROXY: "1", HTTP_PROXY: "http://proxy.example", ...env });
  expect(proxies).toMatchObject({
    HTTP_PROXY: "http://proxy.example",
    no_proxy: expect.stringMatching(excepted),
  });
});

const moduleUrl = (file: string) => JSON.stringify(new URL(file, import.meta.url).href);
const program = `
  const { callLoopbackDirectly } = await import(${moduleUrl("proxy-environment.ts")});
  callLoopbackDirectly();
  const { httpFetch } = await import(${moduleUrl("http-fetch.ts")});
  for (const ask of [fetch, httpFetch])
    for (const url of process.argv.slice(1)) await ask(url).then((answer) => answer.text(), () => undefined);
  process.exit();
`;

test("this machine is called directly, and another through the proxy", async () => {
  const here = await startRawServer(() => "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  const proxy = await startRawServer(() => "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n");
  onTestFinished(async () => {
    await here.close();
    await proxy.close();
  });
  const urls = [here.url, `http://localhost:${here.port}`, "http://elsewhere.invalid/"];
  const child = spawn(process.execPath, ["--input-type=module", "-e", program, "--", ...urls], {
    env: {
      ...process.env,
      NODE_USE_ENV_PROXY: "1",
      http_proxy: proxy.url,
      https_proxy: proxy.url,
      NO_PROXY: "",
      no_proxy: "",
    },
    stdio: "inherit",
  });
  expect(await once(child, "close")).toEqual([0, null]);
  expect(here.requests).toHaveLength(4);
  expect(proxy.requests.length).toBeGreaterThanOrEqual(2);
  for (const request of proxy.requests) expect(request).toContain("elsewhere.invalid");
});
