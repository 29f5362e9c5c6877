/** A diagram, drawn in the browser. Until then, and without scripts, the page shows its source. */
import scriptUrl from '@mermaid-js/tiny/dist/mermaid.tiny.js?url';
import { useData } from 'vitepress';
import { defineComponent, h, onMounted, shallowRef, useId, watch } from 'vue';

interface Mermaid {
  initialize(config: { startOnLoad: boolean; theme: 'default' | 'dark' }): void;
  render(id: string, source: string): Promise<{ readonly svg: string }>;
}

declare global {
  interface Window {
    /** Set by its script, which is no module. */
    mermaid?: Mermaid;
  }
}

/** Loaded once, by the first page that has a diagram. */
let loaded: Promise<Mermaid> | undefined;

function load(): Promise<Mermaid> {
  const { promise, resolve, reject } = Promise.withResolvers<Mermaid>();
  const script = document.createElement('script');
  script.src = scriptUrl;
  script.onload = () =>
    window.mermaid === undefined
      ? reject(new Error(`${scriptUrl} did not define mermaid.`))
      : resolve(window.mermaid);
  script.onerror = () => reject(new Error(`${scriptUrl} could not be loaded.`));
  document.head.append(script);
  return promise;
}

/** `source`: the text of the diagram, encoded as a component of a URI. */
export const MermaidDiagram = defineComponent({
  props: { source: { type: String, required: true } },
  setup(props) {
    const { isDark } = useData();
    const text = decodeURIComponent(props.source);
    const id = `diagram-${useId()}`;
    const svg = shallowRef('');

    async function draw(): Promise<void> {
      loaded ??= load();
      const mermaid = await loaded;
      mermaid.initialize({ startOnLoad: false, theme: isDark.value ? 'dark' : 'default' });
      svg.value = (await mermaid.render(id, text)).svg;
    }

    onMounted(() => watch(isDark, draw, { immediate: true }));
    return () =>
      svg.value === ''
        ? h('pre', { class: 'diagram' }, text)
        : h('div', { class: 'diagram', innerHTML: svg.value });
  },
});
