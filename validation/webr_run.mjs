// Evaluates R code in webr: argument = folder with node_modules, standard input = a JSON list of
// R expressions with numeric values, standard output = {"about": ..., "values": [[...], ...]}.
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const { WebR } = createRequire(resolve(process.argv[2], 'run.cjs'))('webr');
const codes = JSON.parse(readFileSync(0, 'utf8'));
const webR = new WebR({ interactive: false });
await webR.init();
const about = await webR.evalRString(codes.about);
const values = [];
for (const code of codes.codes) values.push(await webR.evalRRaw(`as.numeric(${code})`, 'number[]'));
process.stdout.write(JSON.stringify({ about, values }), () => process.exit(0));
