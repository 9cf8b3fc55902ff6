export {
  compileTemplate,
  createTemplateScope,
  type Template,
  type TemplateOptions,
  type TemplateScope,
} from './template.ts'
