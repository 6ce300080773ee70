import { expect, test } from "vitest";
import { decideRevision } from "./decide-revision.ts";

const digest = Buffer.alloc(32, 1);
const complete = { complete: true, is_awaited: false, digest };
const none = { revision: 0, digest: null };
const third = { revision: 3, digest: Buffer.alloc(32, 3) };

test.each([
  ["the first time that it is complete is revision 1", none, complete, { awaits: false, revision: 1 }],
  ["complete with another content is the next one", third, complete, { awaits: false, revision: 4 }],
  ["complete with the same content is none", { revision: 3, digest }, complete, { awaits: false }],
  [
    "what awaits the bank is looked at again when all is reported",
    third,
    { ...complete, complete: false, is_awaited: true },
    { awaits: true },
  ],
  [
    "what awaits people or a commission is looked at again when that is noted",
    third,
    { ...complete, complete: false },
    { awaits: false },
  ],
  ["without a line, now or before, there is nothing", none, undefined, { awaits: false }],
])("%s", (_, last, content, decided) => {
  expect(decideRevision(last, content)).toEqual(decided);
});
