//! Conditions that are refused, with DynamoDB's words.

use sortkey_expression::{ExpressionKind, parse_condition};
use sortkey_value::AttributeValue;

use crate::support::{Request, every_type, list, number};

/// The error text of a filter, without its prefix.
fn refused(request: &Request, text: &str) -> String {
    let error = request.condition(text).expect_err(text);
    let problem = error.strip_prefix("Invalid FilterExpression: ");
    problem.unwrap_or_else(|| panic!("{error}")).to_owned()
}

fn check(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        assert_eq!(refused(&Request::new(), text), *expected, "{text}");
    }
}

fn syntax_error(text: &str, token: &str, near: &str) {
    let expected = format!("Syntax error; token: \"{token}\", near: \"{near}\"");
    assert_eq!(refused(&Request::new(), text), expected, "{text}");
}

#[test]
fn the_error_names_the_parameter() {
    let error = parse_condition("", ExpressionKind::Condition).unwrap_err();
    assert_eq!(error.to_string(), "Invalid ConditionExpression: The expression can not be empty;");
    let error = parse_condition("", ExpressionKind::KeyCondition).unwrap_err();
    assert_eq!(error.to_string(), "Invalid KeyConditionExpression: The expression can not be empty;");
}

#[test]
fn a_syntax_error_shows_the_token_and_its_neighbours() {
    syntax_error("foo", "<EOF>", "foo");
    syntax_error("attribute_not_exists(", "<EOF>", "(");
    syntax_error("contains (themes, :theme", "<EOF>", ":theme");
    syntax_error("NOT (a)", "<EOF>", ")");
    syntax_error("a = b AND __typename = c", "_", "AND __");
    syntax_error("attribute_exists([1])", "[", "([1");
    syntax_error("a AND b = c", "AND", "a AND b");
    syntax_error("a = (b = c)", "=", "b = c");
    syntax_error("a = b = c", "=", "b = c");
    syntax_error("a > 4", "4", "> 4");
    syntax_error("a in b, c", "b", "in b,");
    syntax_error("a in (b,c,)", ")", ",)");
    syntax_error("a in ()", ")", "()");
    syntax_error("size() = a", ")", "() =");
    syntax_error("size(a).b > a", ".", ").b");
    syntax_error("a[01] = b", "1", "01]");
    syntax_error("a[:b] = c", ":b", "[:b]");
    syntax_error("a..b = c", ".", "..b");
    syntax_error("a = ü", "ü", "= ü");
    syntax_error("a = \"text\"", "\"", "= \"text");
    syntax_error("a = :b c = :d", "c", ":b c =");
    syntax_error("set = a", "set", "set =");
    syntax_error("a <", "<EOF>", "<");
    syntax_error("a = : b", ":", "= : b");
    syntax_error("hi-there = a", "-", "hi-there");
}

#[test]
fn reading_ends_at_limits_without_deep_recursion() {
    let too_long = "x".repeat(4097);
    check(&[(&too_long, "Expression size has exceeded the maximum allowed size; expression size: 4097")]);
    for deep in [
        "(".repeat(4096),
        format!("{}a < b{}", "(".repeat(2045), ")".repeat(2045)),
        format!("a < {}b{}", "(".repeat(2000), ")".repeat(2000)),
    ] {
        check(&[(&deep, "The expression has redundant parentheses;")]);
    }
    let calls = format!("a < {}b{}", "size(".repeat(680), ")".repeat(680));
    check(&[(&calls, "The function is not allowed to be used this way in an expression; function: size")]);
}

#[test]
fn three_hundred_operators_are_enough() {
    let nested = |depth| format!("a<b {}{}", "or (a<b ".repeat(depth), ")".repeat(depth));
    assert!(Request::new().condition(&nested(149)).is_ok());
    let expected = "The expression contains too many operators; operator count: 301";
    assert_eq!(refused(&Request::new(), &nested(150)), expected);
    let negated = |count| format!("{}a<b", "not ".repeat(count));
    assert!(Request::new().condition(&negated(299)).is_ok());
    assert_eq!(refused(&Request::new(), &negated(300)), expected);
    let enclosed = format!("{}a<b{}", "not (".repeat(299), ")".repeat(299));
    assert!(Request::new().condition(&enclosed).is_ok());
}

#[test]
fn parentheses_enclose_something_new_each_time() {
    for text in [
        "a=b and a > ((views))",
        "(a)between(((b.c)))and(c)",
        "a > whatever((:things), ((a)))",
        "a=b AND ((a=b AND a=b)) AND a=b",
        "a=b OR ((a=b OR (a=b OR a=b)))",
        "((contains(a, b)))",
        "((a)) = b",
        // Reported where it is closed, before the syntax error behind it.
        "((a)) = b c",
    ] {
        assert_eq!(refused(&Request::new(), text), "The expression has redundant parentheses;", "{text}");
    }
    for text in [
        "(a=b)",
        "((a=b) AND (a=b))",
        "(a) = (b)",
        "NOT (a=b)",
        "a in ((b), (c))",
        "(size(a)) > (b)",
        "(a = b OR (a = c))",
    ] {
        assert!(Request::new().condition(text).is_ok(), "{text}");
    }
}

#[test]
fn functions_stand_where_their_result_is_used() {
    let misplaced = "The function is not allowed to be used this way in an expression; function: ";
    for (text, function) in [
        ("a=b and attribute_exists((views), (#a)) > b", "attribute_exists"),
        ("attribute_not_exists(things) > b", "attribute_not_exists"),
        ("attribute_type(things, :a) > b", "attribute_type"),
        ("contains(:things, c) > b", "contains"),
        ("size(contains(a, b)) > a", "contains"),
        ("size(things)", "size"),
        ("(size(things))", "size"),
        ("NOT size(things)", "size"),
        ("a between b and attribute_exists(things)", "attribute_exists"),
        ("a in (b, attribute_exists(things))", "attribute_exists"),
    ] {
        assert_eq!(refused(&Request::new(), text), format!("{misplaced}{function}"), "{text}");
    }
    check(&[
        ("a=b and whatever((:things)) > a", "Invalid function name; function: whatever"),
        ("attRIbute_exIsts((views), #a)", "Invalid function name; function: attRIbute_exIsts"),
        (
            "if_not_exists(a, a) = :arg",
            "The function is not allowed in a condition expression; function: if_not_exists",
        ),
    ]);
}

#[test]
fn reserved_words_need_a_placeholder() {
    check(&[
        ("attribute_exists(views, #a)", "Attribute name is a reserved keyword; reserved keyword: views"),
        (":a < abOrT", "Attribute name is a reserved keyword; reserved keyword: abOrT"),
        ("a.b.name = c", "Attribute name is a reserved keyword; reserved keyword: name"),
    ]);
}

#[test]
fn paths_have_limits() {
    let deep = format!("a{} = b", ".b".repeat(32));
    check(&[
        ("a[2147483648] = b", "List index is not within the allowable range; index: [2147483648]"),
        (&deep, "The document path has too many nesting levels; nesting levels: 33"),
    ]);
}

#[test]
fn the_first_comparison_with_a_problem_is_reported() {
    let undefined_name =
        "An expression attribute name used in the document path is not defined; attribute name: ";
    let undefined_value =
        "An expression attribute value used in expression is not defined; attribute value: ";
    let operand = "Incorrect operand type for operator or function; operator or function: begins_with, \
                   operand type: N";
    check(&[
        ("attribute_exists(#Pictures.RearView, :a) and a=a", &format!("{undefined_name}#Pictures")),
        ("begins_with(Pictures.#RearView)", &format!("{undefined_name}#RearView")),
        ("(a)between(b.c[45].#d)and(:a)", &format!("{undefined_name}#d")),
        ("begins_with(:hello, #a, #b)", &format!("{undefined_value}:hello")),
        (":a < :b", &format!("{undefined_value}:a")),
    ]);
    let request = Request::new().values([(":n", number("1"))]);
    let missing = format!("{undefined_value}:missing");
    assert_eq!(refused(&request, "pk = :missing AND begins_with(sk, :n)"), missing);
    assert_eq!(refused(&request, "begins_with(sk, :n) AND pk = :missing"), operand);
}

#[test]
fn functions_take_as_many_operands_as_they_take() {
    for (text, function, count) in [
        ("attribute_exists(things, a) and a=a", "attribute_exists", 2),
        ("attribute_not_exists(things, b)", "attribute_not_exists", 2),
        ("attribute_type(things)", "attribute_type", 1),
        ("begins_with(things)", "begins_with", 1),
        ("begins_with(things, size(a), b)", "begins_with", 3),
        ("contains(things)", "contains", 1),
        ("size(things, a) > b", "size", 2),
    ] {
        let expected = format!(
            "Incorrect number of operands for operator or function; operator or function: {function}, \
             number of operands: {count}"
        );
        assert_eq!(refused(&Request::new(), text), expected, "{text}");
    }
}

#[test]
fn in_takes_a_hundred_operands() {
    let members = |count| vec!["b"; count].join(", ");
    assert!(Request::new().condition(&format!("a in ({})", members(100))).is_ok());
    assert_eq!(
        refused(&Request::new(), &format!("a in ({})", members(101))),
        "The IN operator is provided with too many operands; number of operands: 101"
    );
}

#[test]
fn an_attribute_is_not_compared_with_itself() {
    let request = Request::new().names(&[("#a", "a")]);
    for (text, operator, operand) in [
        ("a = a AND #a = b", "=", "[a]"),
        ("#a <> a", "<>", "[a]"),
        ("a > #a", ">", "[a]"),
        ("((a=a) OR (a=a))", "=", "[a]"),
        ("contains(ab.bc[1].a, ab.bc[1].#a)", "contains", "[ab, bc, [1], a]"),
        ("attribute_type(ab.bc[1].#a, ab.bc[1].a)", "attribute_type", "[ab, bc, [1], a]"),
        ("a BETWEEN b AND a", "BETWEEN", "[a]"),
        ("a IN (b, a)", "IN", "[a]"),
    ] {
        let expected = format!(
            "The first operand must be distinct from the remaining operands for this operator or function; \
             operator: {operator}, first operand: {operand}"
        );
        assert_eq!(refused(&request, text), expected, "{text}");
    }
}

#[test]
fn operands_have_types_that_the_operator_can_use() {
    for value in every_type() {
        let kind = value.attribute_type();
        let request = Request::new().values([(":a", value)]);
        let refusal = |operator| {
            format!(
                "Incorrect operand type for operator or function; operator or function: {operator}, \
                 operand type: {kind}"
            )
        };
        let descriptor = kind.as_str();
        let is_ordered = ["S", "N", "B"].contains(&descriptor);
        let cases = [
            ("a < :a", "<", is_ordered),
            (":a >= a", ">=", is_ordered),
            ("a BETWEEN :a AND b", "BETWEEN", is_ordered),
            ("begins_with(a, :a)", "begins_with", ["S", "B"].contains(&descriptor)),
            ("begins_with(:a, a)", "begins_with", ["S", "B"].contains(&descriptor)),
            ("size(:a) > a", "size", !["N", "BOOL", "NULL"].contains(&descriptor)),
            ("a = :a", "=", true),
            ("contains(a, :a)", "contains", true),
            ("a IN (:a)", "IN", true),
        ];
        for (text, operator, is_fine) in cases {
            match is_fine {
                true => assert!(request.condition(text).is_ok(), "{text} {kind}"),
                false => assert_eq!(refused(&request, text), refusal(operator), "{text} {kind}"),
            }
        }
    }
    let request = Request::new().values([(":a", number("1"))]);
    let size_of_size =
        "Incorrect operand type for operator or function; operator or function: size, operand type: N";
    assert_eq!(refused(&request, "size(size(a)) > :a"), size_of_size);
    assert_eq!(refused(&request, "attribute_not_exists(size(:a))"), size_of_size);
}

#[test]
fn attribute_type_takes_the_name_of_a_type() {
    let refusal = "Incorrect operand type for operator or function; operator or function: attribute_type, \
                   operand type: ";
    let request = |value: AttributeValue| Request::new().values([(":a", value)]);
    assert!(request("BOOL".into()).condition("attribute_type(a, :a)").is_ok());
    assert!(request("S".into()).condition("attribute_type(:a, :a)").is_ok());
    assert_eq!(
        refused(&request("1".into()), "attribute_type(a, :a)"),
        "Invalid attribute type name found; type: 1, valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}"
    );
    assert_eq!(refused(&request(list([])), "attribute_type(a, :a)"), format!("{refusal}L"));
    assert_eq!(refused(&request("S".into()), "attribute_type(a, size(:a))"), format!("{refusal}N"));
    check(&[("attribute_type(a, b)", &format!("{refusal}{{NS,SS,L,BS,N,M,B,BOOL,NULL,S}}"))]);
}

#[test]
fn existence_is_asked_of_paths() {
    let request = Request::new().values([(":a", "1".into())]);
    let refusal = "Operator or function requires a document path; operator or function: ";
    assert_eq!(refused(&request, "attribute_exists(:a) and a=a"), format!("{refusal}attribute_exists"));
    assert_eq!(refused(&request, "attribute_not_exists(size(:a))"), format!("{refusal}attribute_not_exists"));
}

#[test]
fn bounds_are_of_one_type_and_in_order() {
    let bounds = |lower, upper| Request::new().values([(":b", lower), (":a", upper)]);
    assert_eq!(
        refused(&bounds(number("1"), "a".into()), "a between :b and :a"),
        "The BETWEEN operator requires same data type for lower and upper bounds; \
         lower bound operand: AttributeValue: {N:1}, upper bound operand: AttributeValue: {S:a}"
    );
    assert_eq!(
        refused(&bounds("b".into(), "a".into()), "a between :b and :a"),
        "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; \
         lower bound operand: AttributeValue: {S:b}, upper bound operand: AttributeValue: {S:a}"
    );
    assert!(bounds(number("1"), number("1.0")).condition("a between :b and :a").is_ok());
}
