import { networkInterfaces } from "node:os";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { processSettings } from "../settings/config.ts";
import { startHealth } from "./health.ts";

test("without a setting a listener answers on every address, of both families", async () => {
  const host = z.object({ LISTEN_HOST: processSettings.LISTEN_HOST }).parse({}).LISTEN_HOST;
  const health = await startHealth(host, 0, []);
  onTestFinished(() => health.close());
  const own = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const families = new Set(own.filter(({ internal }) => internal).map(({ family }) => family));
  expect(families).toContain("IPv4");
  for (const family of families) {
    const address = family === "IPv6" ? "[::1]" : "127.0.0.1";
    expect([family, (await fetch(`http://${address}:${health.port}/livez`)).status]).toEqual([family, 200]);
  }
});
