import type { AcquirerAccount } from "@holdfast/contracts";
import { statusWord } from "../ui/format.ts";
import type { Reader } from "../ui/page-context.ts";
import { pairsIn } from "../ui/table.ts";
import type { Attributes } from "./account-fields.ts";
import { ACCOUNT_TEXTS } from "./account-texts.ts";

type Version = Attributes & Pick<AcquirerAccount, "state" | "settings">;

/** Everything of an account's version that is no credential and no price, by its name for people. */
export function versionValues(reader: Reader, version: Version): Map<string, string> {
  const texts = ACCOUNT_TEXTS[reader.language];
  const { name, state, currencies, businessDay, callsPerMinute, settings } = version;
  return new Map([
    [texts.name, name],
    [reader.texts.status, statusWord(reader, state)],
    [texts.currencies, currencies.join(", ")],
    [texts.timeZone, businessDay.timeZone],
    [texts.cutOff, businessDay.cutOff],
    [texts.lateArrival, `${version.lateArrivalSeconds}`],
    [texts.connections, `${version.connectionsMax}`],
    [texts.callsPerMinute, `${callsPerMinute ?? NOTHING}`],
    [texts.isDefault, version.default ? texts.yes : texts.no],
    ...pairsIn(settings),
  ]);
}

type Change = { name: string; before: string; after: string };

/** The differences between the version in use, if there is one, and the one that is proposed. */
export function changesOf(reader: Reader, account: AcquirerAccount): Change[] {
  const { proposal, version } = account;
  if (!proposal) return [];
  const before = version === undefined ? new Map<string, string>() : versionValues(reader, account);
  const after = versionValues(reader, proposal);
  return [...new Set([...before.keys(), ...after.keys()])]
    .map((name) => ({ name, before: before.get(name) ?? NOTHING, after: after.get(name) ?? NOTHING }))
    .filter((change) => change.before !== change.after);
}

const NOTHING = "–";
