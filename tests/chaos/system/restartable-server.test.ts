import { expect, test } from "vitest";
import { restartable, type Started } from "./restartable-server.ts";

test("a kill that comes while it is being started again is for the new server, not for the dead one", async () => {
  const killed: string[] = [];
  const server = (name: string): Started => ({
    port: 1,
    exited: Promise.resolve(),
    kill: () => void killed.push(name),
  });
  const starting = Promise.withResolvers<Started>();
  const restarted = restartable(server("first"), () => starting.promise);
  await restarted.kill();
  const [restart, kill] = [restarted.restart(), restarted.kill()];
  starting.resolve(server("second"));
  await Promise.all([restart, kill]);
  expect(killed).toEqual(["first", "second"]);
});
