import { runSimulator } from "@holdfast/simulator-kit";

import { startAcquirerSimulator } from "./acquirer-simulator.ts";
import { readConfig } from "./config.ts";

await runSimulator(readConfig, startAcquirerSimulator);
