import { INSTALLATION, STREAM_KEEPER, type BusUser } from "@holdfast/contracts";
import { installEventStream, keepEventStream } from "@holdfast/installation";
import { connectBus } from "@holdfast/messaging";
import type { Wires } from "./wires.ts";

/**
 * Keeps the stream as the installation does, without any faulty link: it is created again whenever all of
 * JetStream's data was lost.
 */
export async function keepStream(port: number, wires: Wires | undefined): Promise<() => Promise<void>> {
  const connectAs = (user: BusUser) =>
    connectBus({ url: `nats://127.0.0.1:${port}`, name: user, ...wires?.busOptions(user) });
  const sizes = { replicas: 1, bytesMax: 268_435_456, ackWaitMs: ACK_WAIT_MS };
  const installation = await connectAs(INSTALLATION);
  await installEventStream(installation, sizes, { withinMs: STREAM_WITHIN_MS });
  await installation.close(500);
  const bus = await connectAs(STREAM_KEEPER);
  const kept = keepEventStream(bus, sizes, { intervalMs: 1_000 });
  return async () => void (await Promise.all([kept.stop(), bus.close(500)]));
}

const ACK_WAIT_MS = 3_000;
const STREAM_WITHIN_MS = 180_000;
