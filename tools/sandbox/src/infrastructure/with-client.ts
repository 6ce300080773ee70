import { Client } from "pg";

/** Runs some work on one database connection and closes it, also after a failure. */
export async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  // Never over TLS, even where PGSSLMODE of the developer's shell says so: the server is on this machine.
  const client = new Client({ connectionString: url, ssl: false, connectionTimeoutMillis: 60_000 });
  // The next query reports a lost connection; unheard, the event itself would end the process.
  client.on("error", () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end();
  }
}
