import { StringDecoder } from 'node:string_decoder';

/** Whole lines of a byte stream. Unlike node:readline it fails when the stream does. A last line without end is dropped. */
export async function* readLines(stream: AsyncIterable<Uint8Array>): AsyncIterable<string> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of stream) {
    const lines = (rest + decoder.write(chunk as Buffer)).split('\n');
    rest = lines.pop() ?? '';
    yield* lines.filter((line) => line !== '');
  }
}
