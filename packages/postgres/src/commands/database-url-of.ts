import { z } from "zod";
import { parseConfig, urlSetting } from "@holdfast/service-runtime";
import { plaintextSettings, postgresWire, refusePlaintext } from "@holdfast/service-runtime";

/**
 * The database of a command that is run by hand.
 * @param name the setting or the option that gave the URL, for the error.
 * @throws ConfigError where it is no URL of PostgreSQL, or would go over a network unencrypted and ALLOW_PLAINTEXT does
 *   not name it.
 */
export function databaseUrlOf(name: string, url: string | undefined, env: NodeJS.ProcessEnv): string {
  const schema = z
    .object({ [name]: urlSetting("postgres:", "postgresql:"), ...plaintextSettings })
    .check(refusePlaintext(() => (url && URL.canParse(url) ? [postgresWire(name, url)] : [])));
  parseConfig(schema, { [name]: url, ALLOW_PLAINTEXT: env["ALLOW_PLAINTEXT"] });
  return url!;
}
