//! Attributes, enums, and types that are written out.

use super::Lower;
use super::annotations::Home;
use crate::model::*;
use sortkey_syntax::ast::{self, AstNode};
use sortkey_syntax::{Kind, TextRange};

/// The range of an attribute without the comma behind it: the comma belongs to the list,
/// and a repair inserts before it.
fn without_comma(attribute: &ast::Attribute) -> TextRange {
    let range = attribute.range();
    let mut last = attribute.syntax().last_token();
    while let Some(token) = last.take_if(|token| token.kind() == Kind::Comma || token.kind().is_trivia()) {
        last = token.prev_token();
    }
    last.map_or(range, |token| TextRange::new(range.start(), token.text_range().end().max(range.start())))
}

impl Lower<'_> {
    pub(super) fn attributes(&mut self, attributes: impl Iterator<Item = ast::Attribute>) -> Vec<Attribute> {
        attributes.map(|attribute| self.attribute(&attribute, Home::Part)).collect()
    }

    pub(super) fn attribute(&mut self, attribute: &ast::Attribute, home: Home) -> Attribute {
        let written = attribute.ty();
        Attribute {
            name: self.name(attribute.name()),
            optional: attribute.is_optional(),
            ty: self.ty(written.as_ref()),
            ty_span: written.map(|ty| self.span(ty.range())),
            reference: attribute.reference().map(|reference| self.reference(&reference)),
            value: attribute.value().map(|(derived, value)| Fill { derived, value: self.expr(&value) }),
            when: attribute.when().and_then(|when| when.condition()).map(|expr| self.expr(&expr)),
            annotations: self.annotations(attribute, home),
            span: self.span(without_comma(attribute)),
        }
    }

    fn reference(&mut self, reference: &ast::Reference) -> Reference {
        Reference {
            entity: self.name(reference.entity()),
            attribute: reference.attribute().map(|name| self.name(Some(name))),
            on_delete: match (reference.cascades(), reference.keeps()) {
                (true, _) => Some(OnDelete::Cascade),
                (_, true) => Some(OnDelete::Keep),
                _ => None,
            },
            span: self.span(reference.range()),
        }
    }

    pub(super) fn enumeration(&mut self, each: &ast::Enum) -> Enum {
        let open = each.members().find(ast::Member::is_open);
        Enum {
            name: self.name(each.name()),
            members: each
                .members()
                .filter(|member| !member.is_open())
                .map(|member| Member {
                    name: self.name(member.name()),
                    constants: member
                        .constants()
                        .map(|constant| {
                            let hole = self.span(constant.range());
                            (
                                self.name(constant.name()),
                                self.expr_or_missing(constant.value().as_ref(), hole),
                            )
                        })
                        .collect(),
                })
                .collect(),
            open: open.is_some(),
            open_span: open.map(|member| self.span(member.range())),
            span: self.span(each.range()),
        }
    }

    /// A type; the parser bounds how deep types nest.
    pub(super) fn ty(&mut self, ty: Option<&ast::Type>) -> Type {
        match ty {
            None => Type::Undeclared,
            Some(ast::Type::Object(object)) => {
                Type::Object { attributes: self.attributes(object.attributes()) }
            }
            Some(ast::Type::Union(union)) => Type::Enum {
                name: None,
                members: union.members().map(|name| name.text().to_owned()).collect(),
                open: union.open().is_some(),
            },
            Some(ast::Type::Named(named)) => self.named_type(named),
        }
    }
}
