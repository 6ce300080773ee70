import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { captureLog, eventually } from "@holdfast/tests/support";
import express from "express";
import { expect, onTestFinished, test } from "vitest";
import { backchannelLogout, type BackchannelLogoutDeps } from "./backchannel-logout.ts";

test("what is no token is refused, each time, and the log counts it instead of telling of each", async () => {
  const { log, lines } = captureLog("console");
  const provider = { verifyLogout: async () => undefined } as unknown as BackchannelLogoutDeps["provider"];
  const store = undefined as unknown as BackchannelLogoutDeps["store"];
  const app = express();
  app.use(express.text({ type: "application/x-www-form-urlencoded" }));
  app.use(backchannelLogout({ store, provider, log }));
  const server = app.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/backchannel-logout`;
  const body = "logout_token=no.token";
  const headers = { "Content-Type": "application/x-www-form-urlencoded" };
  const answers = await Promise.all(
    Array.from({ length: REQUESTS }, () => fetch(url, { method: "POST", body, headers })),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([400]));
  const counted = () => lines.reduce((sum, { count }) => sum + Number(count), 0);
  await eventually(() => expect(counted()).toBe(REQUESTS));
  expect(lines.length).toBeLessThan(REQUESTS / 2);
  expect(lines[0]).toMatchObject({ level: "warn", operation: "back-channel logout", msg: "logouts refused" });
  expect(lines[0]!["reason"]).toContain("no logout token of this provider");
});

const REQUESTS = 40;
