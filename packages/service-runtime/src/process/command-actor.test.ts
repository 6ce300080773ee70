import { userInfo } from "node:os";
import { expect, test } from "vitest";
import { commandActor } from "./command-actor.ts";

test("a command's actor is who made its Job, and elsewhere the user of the machine", () => {
  const run = (person: string) => commandActor("settle", { COMMAND_RUN_BY: person });
  expect(run("olga@example.com")).toBe("settle (olga@example.com)");
  expect(run("olga via system:serviceaccount:ci:deployer")).toBe(
    "settle (olga via system:serviceaccount:ci:deployer)",
  );
  expect(run("")).toBe(`settle (${userInfo().username})`);
  expect(commandActor("settle", {})).toBe(`settle (${userInfo().username})`);
});

test.each([["a\nb"], ["olga) and (kim"], [" olga"], ["x".repeat(151)], ['"olga"']])(
  "%j is no name, and the command does not run under it",
  (person) => {
    expect(() => commandActor("settle", { COMMAND_RUN_BY: person })).toThrow(
      /COMMAND_RUN_BY: must be a name/,
    );
  },
);
