import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { findNatsServer } from "./find-nats-server.ts";
import { startNatsServer } from "./nats-server.ts";

let home: string;

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), "holdfast nats-"));
});
afterEach(() => vi.unstubAllEnvs());
afterAll(() => rmSync(home, { recursive: true }));

test("it answers with JetStream on, and again on the same port after a kill", async () => {
  const options = { storeDir: join(home, "store"), logFile: join(home, "log") };
  const first = await startNatsServer(options);
  first.kill();
  expect((await first.exited).signal).toBe("SIGKILL");
  const second = await startNatsServer({ ...options, port: first.port });
  expect(second.url).toBe(`nats://127.0.0.1:${first.port}`);
  await second.stop();
});

test("a configuration that it does not understand is shown", async () => {
  const configFile = join(home, "wrong.conf");
  writeFileSync(configFile, "no_such_setting: {");
  const starting = startNatsServer({
    storeDir: join(home, "unused"),
    logFile: join(home, "wrong.log"),
    configFile,
  });
  await expect(starting).rejects.toThrow(/stopped while starting[\s\S]*Parse error/);
});

test("a nats-server that is named but too old is refused", async () => {
  const old = join(home, "old-nats-server");
  writeFileSync(old, "#!/bin/sh\necho nats-server: v2.9.25\n");
  chmodSync(old, 0o755);
  vi.stubEnv("NATS_SERVER", old);
  await expect(findNatsServer()).rejects.toThrow("which is 2.9.25: 2.10 or newer is needed");
});

test("a cache that cannot be written names the settings that help", async () => {
  const file = join(home, "no-directory");
  writeFileSync(file, "");
  vi.stubEnv("NATS_SERVER", "");
  vi.stubEnv("XDG_CACHE_HOME", file);
  vi.stubEnv("PATH", home);
  await expect(findNatsServer()).rejects.toThrow(
    `cannot be kept in ${file}/holdfast: set XDG_CACHE_HOME to a directory that can be written, or NATS_SERVER`,
  );
});
