import * as installation from "@holdfast/installation";

/**
 * Like an installation's, but never over TLS, even where PGSSLMODE of the developer's shell says so: the server is on
 * this machine.
 */
export function provisionDatabase(
  options: Omit<Parameters<typeof installation.provisionDatabase>[0], "ssl">,
): Promise<installation.SchemaUrls> {
  return installation.provisionDatabase({ ...options, ssl: false });
}
