/** `npm run archive`: moves a month's ended payments out of the database, or back. In the image of the installation it is `src/archive.ts`. */
import { archive } from "./archive/archive-command.ts";

try {
  process.exitCode = await archive(process.argv.slice(2), process.env, (text) => process.stdout.write(text));
} catch (error) {
  process.stderr.write(`archive: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
