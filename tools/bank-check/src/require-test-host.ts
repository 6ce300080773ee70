import { addressesIn } from "@holdfast/acquirer";
import { UsageError } from "@holdfast/service-runtime/command-line";
import type { TestAccount } from "./account-file.ts";
import { PROTOCOLS } from "./protocols.ts";

/**
 * The walk moves money, so that it runs against test hosts only, unless the person who runs it names the host.
 * @param allowed hosts that were named.
 * @throws UsageError for any other one.
 */
export function requireTestHost(
  account: Pick<TestAccount, "settings">,
  allowed: readonly string[] = [],
): void {
  for (const [name, { hostname, protocol }] of addressesIn(account.settings)) {
    const isOwn = OWN_HOSTS.has(hostname);
    if (!isOwn && protocol !== "https:")
      throw new UsageError(`settings.${name} must be https://: the walk sends a card number`);
    if (isOwn || TEST_HOSTS.has(hostname) || allowed.includes(hostname)) continue;
    throw new UsageError(
      `settings.${name} is at ${hostname}, which is not known as a test host. The walk moves money: if this is a test account, name the host with --allow-host ${hostname}`,
    );
  }
}

const OWN_HOSTS: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "[::1]"]);

const TEST_HOSTS: ReadonlySet<string> = new Set(
  Object.values(PROTOCOLS).flatMap(({ testHosts }) => testHosts),
);
