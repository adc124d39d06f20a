//! Typed clients: the surface of a small design, and the files of the five systems.
// Helpers of tests fail by panicking, as tests do.
#![allow(clippy::panic)]

use sortkey_codegen::client::{Call, Grouping, Output, Surface, Type, surface, typescript};
use sortkey_design::{FileLoader, NoFiles, compile};

const DESIGN: &str = r#"
design shop version 3
caller { userId string(1..40) }
table T "shop" { key (PK | SK) }
entity Order in T {
  PK = "USER#{userId}"  SK = "ORDER#{orderId}"
  userId   string(1..40)
  orderId  id("ord_", nanoid 12) = new
  note?    string(..200)
  total    decimal(20, 2)
  stock    int(0..9_007_199_254_740_993)
  seal     bytes(..32)
  tags     set(string(..20), max 5)
  token    token("tok_", 16) = new @transient @secret
  hidden   string(..20) = "x" @secret
  tenant userId
}
entity Line in T {
  PK = "USER#{userId}"  SK = "LINE#{orderId}#{number:pad(2)}"
  userId   string(1..40)
  orderId  -> Order
  number   int(1..99)
  sort     fresh | frozen | open = fresh
  tenant userId
}
operation createOrder = create Order
operation changeOrder = update Order [note, total]
operation addLine(input: new(Line)) {
  let o = get Order(userId: caller.userId, orderId: input.orderId) else OrderNotFound
  let l = create Line { ...input, userId: o.userId }
  return l
}
pattern getOrder  = get Order by userId, orderId
pattern listOrders = list Order by userId page 20
module orders { create: createOrder, change: changeOrder, get: getOrder, list: listOrders }
"#;

fn shop() -> Surface {
    let compiled = compile("shop.sk", DESIGN, &NoFiles);
    assert!(!compiled.has_errors(), "{:?}", compiled.diagnostics);
    surface(&compiled.program, "shop")
}

fn call<'s>(surface: &'s Surface, path: &str) -> &'s Call {
    surface.every_call().find(|call| call.path == path).expect("the call is there")
}

/// The fields of a record, with `?` where they may be left out.
fn fields(surface: &Surface, ty: &Type) -> Vec<String> {
    let Type::Record(id) = ty else { return Vec::new() };
    let sign = |optional: bool| if optional { "?" } else { "" };
    surface.fields(*id).iter().map(|field| format!("{}{}", field.name, sign(field.optional))).collect()
}

fn one(output: &Output) -> (&Type, bool) {
    match output {
        Output::One { ty, optional } => (ty, *optional),
        other => panic!("{other:?} is not one value"),
    }
}

#[test]
fn answers_have_what_the_design_says() {
    let shop = shop();
    let get = call(&shop, "orders.get");
    let (item, optional) = one(&get.output);
    assert!(optional);
    assert_eq!(fields(&shop, item), ["userId", "orderId", "note?", "total", "stock", "seal", "tags"]);
    let (made, optional) = one(&call(&shop, "orders.create").output);
    assert!(!optional);
    assert!(fields(&shop, made).contains(&"token".to_owned()), "a generated secret is shown once");
    assert!(!fields(&shop, made).contains(&"hidden".to_owned()));
    assert!(matches!(call(&shop, "orders.list").output, Output::Page(_)));
}

#[test]
fn an_id_has_one_type_wherever_it_is() {
    let shop = shop();
    assert_eq!(shop.ids.iter().map(|id| id.name.as_str()).collect::<Vec<_>>(), ["OrderId"]);
    let of = |path: &str, name: &str| {
        let parameters = &call(&shop, path).parameters;
        parameters.iter().find(|each| each.name == name).map(|each| each.ty.clone())
    };
    assert_eq!(of("orders.get", "orderId"), Some(Type::Id(0)));
    let Some(Type::Record(input)) = of("addLine", "input") else { panic!("an input") };
    let fields = shop.fields(input);
    let order = fields.iter().find(|field| field.name == "orderId").expect("the reference");
    assert_eq!(order.ty, Type::Id(0));
}

#[test]
fn what_an_operation_gives_itself_may_be_left_out() {
    let shop = shop();
    let add = call(&shop, "addLine");
    assert_eq!(fields(&shop, &add.parameters[0].ty), ["userId?", "orderId", "number", "sort?"]);
    assert!(add.errors.contains(&"OrderNotFound".to_owned()), "{:?}", add.errors);
    assert_eq!(shop.errors, ["OrderNotFound"]);
}

#[test]
fn parameters_are_grouped_by_what_they_are() {
    let shop = shop();
    assert!(matches!(call(&shop, "orders.create").grouping, Grouping::Input(_)));
    let change = call(&shop, "orders.change");
    let Grouping::Changes { before, after, .. } = &change.grouping else { panic!("{:?}", change.grouping) };
    let names =
        |places: &[usize]| places.iter().map(|at| change.parameters[*at].name.clone()).collect::<Vec<_>>();
    assert_eq!((names(before), names(after)), (vec!["orderId".to_owned()], vec!["userId".to_owned()]));
    let note = change.parameters.iter().find(|each| each.name == "note").expect("a change");
    let total = change.parameters.iter().find(|each| each.name == "total").expect("a change");
    assert!(note.nullable && !total.nullable, "null removes what an item may lack");
}

#[test]
fn typescript_says_the_same() {
    let files = typescript(&shop()).expect("printed");
    let text = |name: &str| &files.iter().find(|file| file.name == name).expect("the file").text;
    for line in [
        "export type OrderId = string & { readonly [brand]: \"OrderId\" };",
        "  total: Digits;",
        "  stock: Digits;",
        "  seal: Uint8Array;",
        "  tags: string[];",
        "  note?: string | null;",
        "export class OrderNotFound extends SortkeyError {",
        "export type ShopError = OrderNotFound | CommonError;",
    ] {
        assert!(text("types.ts").contains(line), "{line}\n{}", text("types.ts"));
    }
    assert!(text("program.ts").contains("sets: [\"tags\"]"));
    assert!(text("orders.ts").contains(
        "get(orderId: OrderId, userId?: string, options?: CallOptions): Promise<Order | undefined>;"
    ));
    assert!(text("index.ts").contains("export function shop(options: ShopOptions): Shop {"));
}

#[test]
fn every_system_has_a_client_and_one_design_makes_one_text() {
    for name in sortkey_testkit::SYSTEMS.iter().copied() {
        let file = sortkey_testkit::design_file(name);
        let text = std::fs::read_to_string(&file).expect("the design is there");
        let print = || {
            let compiled = compile(&file.to_string_lossy(), &text, &FileLoader);
            typescript(&surface(&compiled.program, name)).expect("printed")
        };
        let files = print();
        assert!(files.len() >= 3 && files == print(), "{name}");
        let tables = files.iter().find(|file| file.name == "program.ts").expect("the program");
        assert!(tables.text.contains("\"TableName\":"), "{name}");
    }
}
