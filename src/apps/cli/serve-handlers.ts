import { createLog } from '../../foundation/platform/log.ts';
import { Models } from '../../foundation/platform/models/index.ts';
import { logDevices, openEngine } from '../../main/engine.ts';
import { codeOnHugePages, missingLibraries } from '../../media/engine/index.ts';
import { announce } from './announce.ts';
import type { CliContext } from './command.ts';
import { Signals } from './signals.ts';

const FORCED_CODE = 1;
/**
 * The deadline for closing modules after a drain, so that a database or store that does not answer cannot hold the
 * process.
 */
const CLOSING_SECONDS = 10;

export async function serve(context: CliContext): Promise<number> {
  const config = context.config();
  const log = createLog({ level: config.logLevel });
  const signals = new Signals(log);
  // An unhandled rejection affects one call at most, so the process goes on.
  process.on('unhandledRejection', (err) => log.error({ err }, 'unhandled error'));
  // The engine's threads open the models while this thread loads the rest of the program.
  const engine = openEngine(config, new Models({ root: config.models }), log);
  void logDevices(engine, log);
  if (config.hugeCode)
    log.info({ bytes: codeOnHugePages() }, 'the code of the engine was moved to huge pages');
  const { createApplication } = await import('../../main/main.ts');
  const application = await createApplication(config, log, engine);
  const address = await application.server.listen().catch(async (error: Error) => {
    context.error(`error: ${error.message}`);
    await application.stop(0);
    return null;
  });
  if (address === null) return FORCED_CODE;
  for (const { detail } of missingLibraries()) context.out(detail);
  announce(application.server, config.baseUrl ?? address, screen(context));
  await signals.first();
  setTimeout(
    () => {
      log.error('the server did not drain within its deadline and exits now');
      log.flush();
      process.exit(FORCED_CODE);
    },
    (config.drainSeconds + CLOSING_SECONDS) * 1000,
  ).unref();
  await application.stop();
  log.flush();
  // The exit is explicit, because a library may still hold handles open.
  setImmediate(() => process.exit(0));
  return 0;
}

const screen = (context: CliContext) => ({
  line: context.out,
  ...(process.stdout.isTTY ? { over: (text: string) => process.stdout.write(`\r\x1b[K${text}`) } : {}),
});
