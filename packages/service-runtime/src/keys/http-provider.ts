import { z } from "zod";
import { readBounded } from "../http/answer-bounds.ts";
import { createHttpAgent } from "../http/http-agent.ts";
import { httpFetch } from "../http/http-fetch.ts";
import type { KeyProvider } from "./key-provider.ts";
import { providerFault, readProviderFile } from "./provider-fault.ts";

/**
 * A key of a key management service, by the calls that Google's Cloud KMS has: `POST KEY:encrypt` and `KEY:decrypt`, with
 * the ring's name as additional authenticated data.
 */
export function httpProvider(
  url: string,
  { tokenFile, caFile }: { tokenFile: string | undefined; caFile: string | undefined },
): KeyProvider {
  const call = async (action: string, body: object): Promise<unknown> => {
    const token = tokenFile === undefined ? undefined : readProviderFile(url, tokenFile);
    const ca = caFile === undefined ? undefined : readProviderFile(url, caFile);
    const agent = createHttpAgent(new URL(url).protocol, { ca, byProxy: true });
    try {
      const response = await httpFetch(`${url}:${action}`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
        },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(TIMEOUT_MS),
        agent,
      });
      if (response.status === 400 && action === "decrypt") return undefined;
      if (!response.ok) throw new Error(`it answered ${response.status}`);
      return await readJson(response);
    } catch (error) {
      throw providerFault(url, (error as Error).message || String(error));
    } finally {
      agent.destroy();
    }
  };
  return {
    name: url,
    async wrap(dataKey, ring) {
      const body = { plaintext: base64(dataKey), additionalAuthenticatedData: base64(ring) };
      const read = z.object({ ciphertext: z.base64() }).safeParse(await call("encrypt", body));
      if (!read.success) throw providerFault(url, "its answer has no ciphertext");
      return Buffer.from(read.data.ciphertext, "base64");
    },
    async unwrap(wrapped, ring) {
      const body = { ciphertext: base64(wrapped), additionalAuthenticatedData: base64(ring) };
      const answer = await call("decrypt", body);
      if (answer === undefined) return undefined;
      const read = z.object({ plaintext: z.base64() }).safeParse(answer);
      if (!read.success) throw providerFault(url, "its answer has no plaintext");
      return Buffer.from(read.data.plaintext, "base64");
    },
  };
}

const base64 = (content: string | Buffer) => Buffer.from(content).toString("base64");

async function readJson(response: Response): Promise<unknown> {
  const bytes = await readBounded(response, ANSWER_BYTES_MAX);
  if (!bytes) throw new Error("its answer is too long");
  try {
    return JSON.parse(bytes.toString());
  } catch {
    // No cause: an error of JSON repeats a piece of the text, which may be a key.
    throw new Error("its answer is not JSON");
  }
}

const TIMEOUT_MS = 15_000;
const ANSWER_BYTES_MAX = 64 * 1_024;
