import { expect, it } from "vitest";
import { createSendByTurn } from "./by-turn.ts";

it("carries out the sends of one turn together and in their order, after what was running", async () => {
  const byTurn = createSendByTurn();
  const done: string[] = [];
  const sends = ["first", "second"].map((name) =>
    byTurn(() => {
      done.push(name);
      queueMicrotask(() => done.push("the client writes"));
      return name;
    }),
  );
  await Promise.resolve();
  done.push("the turn goes on");

  await expect(Promise.all(sends)).resolves.toEqual(["first", "second"]);
  expect(done).toEqual(["the turn goes on", "first", "second", "the client writes", "the client writes"]);
});

it("rejects only the send that failed", async () => {
  const byTurn = createSendByTurn();
  const failed = byTurn(() => {
    throw new Error("closed");
  });
  const sent = byTurn(() => Promise.resolve("sent"));

  await expect(failed).rejects.toThrow("closed");
  await expect(sent).resolves.toBe("sent");
});

it("sends what is given while sends are carried out in the next turn", async () => {
  const byTurn = createSendByTurn();
  const later = await byTurn(() => ({ promise: byTurn(() => "later") }));

  await expect(later.promise).resolves.toBe("later");
});
