import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

export type KeyService = {
  /** The address of its one key, for `KEY_PROVIDER`. */
  keyUrl: string;
  /** Each call: its path, its sign-in, and its additional data. */
  calls: { url: string | undefined; authorization: string | undefined; associated: string }[];
  /** Answers every call with this status and text, until it is called without an answer. */
  answerWith(fault?: { status: number; text: string }): void;
  close(): Promise<void>;
};

/** Plays a key management service of a cloud: `POST KEY:encrypt` and `KEY:decrypt`. */
export async function startKeyService(): Promise<KeyService> {
  const key = randomBytes(32);
  const calls: KeyService["calls"] = [];
  let fault: { status: number; text: string } | undefined;
  const server = createServer((request, response) => {
    void (async () => {
      const body = (await json(request)) as Record<string, string>;
      const [name, other, crypt] = request.url?.endsWith(":encrypt")
        ? (["plaintext", "ciphertext", encrypt] as const)
        : (["ciphertext", "plaintext", decrypt] as const);
      const [given, associated] = [body[name], body["additionalAuthenticatedData"]].map((text) =>
        Buffer.from(text ?? "", "base64"),
      );
      calls.push({
        url: request.url,
        authorization: request.headers.authorization,
        associated: String(associated),
      });
      if (fault) return response.writeHead(fault.status).end(fault.text);
      const result = crypt(key, given!, associated!);
      if (!result) return response.writeHead(400).end('{"error":{"status":"INVALID_ARGUMENT"}}');
      return response.end(JSON.stringify({ [other]: result.toString("base64") }));
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    keyUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/keys/kek`,
    calls,
    answerWith(given) {
      fault = given;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function encrypt(key: Buffer, plain: Buffer, associated: Buffer): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(associated);
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

function decrypt(key: Buffer, sealed: Buffer, associated: Buffer): Buffer | undefined {
  try {
    const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(0, 12), { authTagLength: 16 });
    decipher.setAAD(associated).setAuthTag(sealed.subarray(-16));
    return Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()]);
  } catch {
    return undefined;
  }
}
