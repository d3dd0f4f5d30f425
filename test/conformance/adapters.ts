/** An adapter of `vectors/adapters`, and how its folder says that it is built and run. */
export interface AdapterRow {
  readonly name: string
  readonly title: string
  /** Programs that must be there, with what makes them print their version and end. */
  readonly needs: readonly (readonly [program: string, versionFlag: string])[]
  /** In the adapter's folder, by a shell. */
  readonly build?: string
  readonly mode?: 'oneshot'
  /** The other mode, where its page says that it works as well. */
  readonly also?: 'oneshot'
  readonly command: readonly string[]
  /** A run of all cases takes a minute, so that only CI and `npm run conformance` do it. */
  readonly sample?: readonly string[]
}

const at = (path: string): string => `vectors/adapters/${path}`

export const ADAPTERS: readonly AdapterRow[] = [
  {
    name: 'javascript',
    title: 'JavaScript (this package)',
    needs: [],
    command: ['node', at('javascript/adapter.js')],
  },
  {
    name: 'python',
    title: 'Python',
    needs: [['python3', '--version']],
    command: ['python3', at('python/adapter.py')],
  },
  {
    name: 'go',
    title: 'Go',
    needs: [['go', 'version']],
    build: 'go build -o build/adapter .',
    command: [at('go/build/adapter')],
  },
  {
    name: 'php',
    title: 'PHP',
    needs: [['php', '--version']],
    command: ['php', at('php/adapter.php')],
  },
  {
    name: 'ruby',
    title: 'Ruby',
    needs: [['ruby', '--version']],
    command: ['ruby', at('ruby/adapter.rb')],
  },
  {
    name: 'java',
    title: 'Java',
    needs: [
      ['javac', '--version'],
      ['mvn', '--version'],
    ],
    build: 'mvn -q -B package',
    command: ['java', '-jar', at('java/target/adapter.jar')],
  },
  {
    name: 'rust',
    title: 'Rust',
    needs: [['cargo', '--version']],
    build: 'cargo build --release --locked',
    command: [at('rust/target/release/adapter')],
  },
  {
    name: 'c',
    title: 'C',
    needs: [['cc', '--version']],
    build:
      'mkdir -p build && cc -std=c11 -Wall -Wextra -Werror -O2 -o build/adapter adapter.c hookproof.c -lcrypto -lm',
    also: 'oneshot',
    command: [at('c/build/adapter')],
  },
  {
    name: 'shell',
    title: 'Shell and openssl',
    needs: [['openssl', 'version']],
    mode: 'oneshot',
    command: ['sh', at('shell/adapter.sh')],
    sample: ['paymos/sig-0*', 'stripe/sig-0*', 'github/sig-0*'],
  },
]
