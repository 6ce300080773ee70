import { randomBytes } from "node:crypto";
import { text } from "node:stream/consumers";
import { z } from "zod";
import { readCommandLine, UsageError } from "../process/command-line.ts";
import { keyRingSetting, parseConfig } from "../settings/config.ts";
import { keyProviderSettings } from "../settings/key-provider-settings.ts";
import { keyProviderOf } from "../keys/key-provider.ts";
import { isWrapped, unwrapRing, wrapRing } from "../keys/wrapped-ring.ts";

const HELP = `wrap-ring SETTING [OPTION...] < RING

  Reads a key ring, wrapped or not, from standard input, and prints it wrapped under KEY_PROVIDER, for the setting of
  this name alone. No key is printed (docs/keys.md).

  --add ID          adds a new key as the last one; without a ring it makes one
  --first ID        moves a key to the front: new work uses it
  --remove ID       removes a key
  --from PROVIDER   the KEY_PROVIDER that has wrapped the ring until now, where that is another one
`;

/** `holdfast wrap-ring`, for custodians: with it nobody sees a key. */
export async function wrapRingCommand(
  args: string[],
  env: NodeJS.ProcessEnv,
  out: (text: string) => void,
  input: () => Promise<string> = async () => (process.stdin.isTTY ? "" : await text(process.stdin)),
): Promise<number> {
  const line = readCommandLine(args, { help: HELP, positionals: true, options: OPTIONS }, out);
  if (!line) return 0;
  const [setting = "", ...more] = line.positionals;
  if (more.length > 0 || !/^[A-Z_]+_(KEYS|PEPPERS)$/.test(setting))
    throw new UsageError("name one setting that is a key ring, such as CARD_SEALING_KEYS");
  const { from, ...edit } = line.values;
  const provider = providerOf(env);
  const given = (await input()).trim();
  const ring = isWrapped(given)
    ? await unwrapRing(
        from === undefined ? provider : providerOf({ ...env, KEY_PROVIDER: from }),
        setting,
        given,
      )
    : given;
  const changed = edited(ring === "" ? "" : checked(setting, ring), edit);
  if (changed === "")
    throw new UsageError("the ring has no key: give it on standard input, or make one with --add ID");
  out(`${await wrapRing(provider, setting, checked(setting, changed))}\n`);
  return 0;
}

const OPTIONS = {
  add: { type: "string" },
  first: { type: "string" },
  remove: { type: "string" },
  from: { type: "string" },
} as const;

const providerOf = (env: NodeJS.ProcessEnv) => keyProviderOf(parseConfig(z.object(keyProviderSettings), env));

type Edit = { add?: string | undefined; first?: string | undefined; remove?: string | undefined };

function edited(ring: string, { add, first, remove }: Edit): string {
  const keys = new Map(ring.split(",").flatMap((pair) => (pair === "" ? [] : [[idOf(pair), pair.trim()]])));
  if (add !== undefined) {
    if (keys.has(add)) throw new UsageError(`--add ${add}: the ring already has this key`);
    keys.set(add, `${add}:${randomBytes(32).toString("base64")}`);
  }
  if (remove !== undefined && !keys.delete(remove))
    throw new UsageError(`--remove ${remove}: the ring has no such key`);
  if (first === undefined) return [...keys.values()].join(",");
  const active = keys.get(first);
  if (active === undefined) throw new UsageError(`--first ${first}: the ring has no such key`);
  keys.delete(first);
  return [active, ...keys.values()].join(",");
}

const idOf = (pair: string) => pair.split(":")[0]!.trim();

/** @throws UsageError that repeats nothing of the ring. */
function checked(setting: string, ring: string): string {
  const read = keyRingSetting().safeParse(ring);
  if (!read.success) throw new UsageError(`${setting} ${read.error.issues[0]!.message}`);
  return ring;
}
