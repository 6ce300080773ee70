/**
 * The part `lists` of `npm run proofs`: lists of other people that are written down in this repository, and the days on
 * which they were last compared with their source. Nothing else notices that a currency or a bank's code is new. The clock
 * decides here and in no test, so that a checkout of today stays green.
 */
import { readCommandLine, runProgram } from "@holdfast/service-runtime/command-line";
import { agedLists, DATED_LISTS } from "./aged-lists.ts";

const HELP = `node tests/proofs/dated-lists.ts

Says when each list was last compared with its source, and fails if that was more than a year ago.
`;

await runProgram(
  "lists",
  (args) => {
    if (!readCommandLine(args, { help: HELP, options: {} })) return Promise.resolve(0);
    const aged = agedLists(DATED_LISTS, new Date());
    for (const list of DATED_LISTS) {
      const verdict = aged.includes(list) ? "COMPARE AGAIN, then write today's date" : "ok";
      process.stdout.write(`${list.comparedOn}  ${list.name}: ${list.source}  ${verdict}\n`);
    }
    process.stdout.write(`${DATED_LISTS.length - aged.length} passed, ${aged.length} failed\n`);
    return Promise.resolve(aged.length === 0 ? 0 : 1);
  },
  { trace: true },
);
